// Statements cut into parts: every op and its derivative on 1, 2 and 7 threads, cut as finely as can be; and, for each class of kernel, a
// size from which on the engine cuts it into 7 parts or more of its own accord.
#include "dyadic/cpu/parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cpu/engine_check.hpp"
#include "dyadic/exec/pool.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/passes/fuse.hpp"
#include "exec/counting.hpp"
#include "support/op_cases.hpp"
#include "support/recurrence_cases.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {

/// A graph of one output, or of its derivatives, with data.
struct subject {
  builder graph;
  plan order;
  extents ext;
  std::vector<std::vector<double>> data;

  subject(op_graph const& of, std::int64_t n, bool backward, bool fused = false) {
    auto e = of.extents_for(n);
    for (std::size_t a = 0; a < e.size(); ++a) if (e[a] < 0) e[a] = of.b.axes[static_cast<int>(a)].extent;
    ext = as_extents(e);
    data = of.data_for(e, 11);
    if (backward) {
      adjoint_request request;
      request.outputs = 1;
      request.inputs = true;
      graph = adjoint(of.b.view(), request);
      data.resize(static_cast<std::size_t>(graph.view().nleaves));
      leaf const& l = graph.view().leaves[graph.view().nleaves - 1];
      std::int64_t seeds = 1;
      for (int k = 0; k < l.rank; ++k) seeds *= e[static_cast<std::size_t>(l.order[k])];
      for (std::int64_t i = 0; i < seeds; ++i) data.back().push_back(0.1 * static_cast<double>(i % 17) - 0.7);
    } else {
      graph = of.b;
    }
    order = arrange(graph.view());
    if (fused) order = fuse(graph.view(), order.view());
  }
  /// All outputs, one after another.
  std::vector<double> run(cpu::workers on, double least_work, std::int64_t query_block, std::int64_t key_block) const {
    cpu::options o;
    o.on = on;
    o.least_work = least_work;
    o.poison = true;
    o.query_block = query_block;
    o.key_block = key_block;
    graph_view const g = graph.view();
    bound_engine<double> engine(g, order.view(), plan_memory(g, order.view(), ext), ext, data, o);
    engine.engine.set_random(7, 3, true);
    engine.engine.run();
    std::vector<double> all;
    for (int k = 0; k < g.noutputs; ++k) {
      if (g.outputs[k].node < 0) continue;
      auto const v = engine.engine.output(k);
      all.insert(all.end(), v.begin(), v.end());
    }
    return all;
  }
};

bool same_bits(std::vector<double> const& x, std::vector<double> const& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
}
double apart(std::vector<double> const& x, std::vector<double> const& y) {
  double m = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) m = (std::max)(m, std::fabs(x[i] - y[i]) / (1 + std::fabs(y[i])));
  return m;
}

void check_all_ways(op_graph const& of, std::int64_t n, bool backward, exec::pool& two, exec::pool& seven) {
  subject const s(of, n, backward);
  auto const one = s.run(exec::serial{}, 1, 2, 3);
  CHECK(same_bits(one, s.run(two, 1, 2, 3)));
  CHECK(same_bits(one, s.run(seven, 1, 2, 3)));
  CHECK(apart(one, s.run(exec::serial{}, 1e18, 2, 3)) < 1e-12);   // uncut: sums in other orders, otherwise the same
}

struct feature : axis<640> {};
struct width : axis<96> {};
struct hidden : axis<4096> {};

/// A graph that is large in one class of kernel. runs: those with 7 parts or more, at least; with `all`, none has fewer.
struct large {
  char const* name;
  std::int64_t n;
  bool backward, fused;
  std::ptrdiff_t runs;
  bool all;
  void (*build)(op_graph&);
};
large const classes[] = {
    {"map", 40000, false, false, 2, true, [](op_graph& t) { t.result(exp(t.real<row, col>())); }},
    {"group", 600, false, true, 2, true, [](op_graph& t) { t.result(layer_normalize<feature>(t.real<row, feature>(), 1e-5)); }},
    {"group, one long row", 100000, false, true, 2, true, [](op_graph& t) { auto x = t.real<row, col>(); t.result(exp(x) * x + 1); }},
    {"group with column sums", 600, true, true, 2, false,
     [](op_graph& t) { t.result(layer_normalize<feature>(t.real<row, feature>(), 1e-5) * t.real<feature>()); }},
    {"sums of rows", 1200, false, false, 1, false, [](op_graph& t) { t.result(sum<feature>(t.real<row, feature>())); }},
    {"sums of columns", 1200, false, false, 1, false, [](op_graph& t) { t.result(sum<row>(t.real<row, feature>())); }},
    {"maxima", 60000, false, false, 1, false, [](op_graph& t) { t.result(max<col>(t.real<row, col>())); }},
    {"softmax", 20000, false, false, 2, true, [](op_graph& t) { t.result(softmax<col>(t.real<row, col>())); }},
    {"product", 900, false, false, 2, true, [](op_graph& t) { t.result(contract<width>(t.real<row, width>(), t.real<width, feature>())); }},
    {"product of one row", 1, false, false, 1, true, [](op_graph& t) { t.result(contract<feature>(t.real<row, feature>(), t.real<feature, hidden>())); }},
    {"products in a batch", 60, false, false, 1, false,
     [](op_graph& t) { t.result(contract<width>(t.real<row, both, width>(), t.real<row, width>())); }},
    {"small sums of products", 60000, false, false, 1, false, [](op_graph& t) { t.result(contract<col>(t.real<row, col>(), t.real<row, col>())); }},
    {"attention", 300, false, false, 1, false, [](op_graph& t) { attention(t, true, plain_score{}); }},
    {"attention and its derivatives", 900, true, false, 4, false, [](op_graph& t) { attention(t, true, plain_score{}); }},
    {"split", 90000, false, false, 2, true, [](op_graph& t) { t.result(split<row, outer_row, inner_row>(t.real<row, col>())); }},
    {"merge", 90000, false, false, 1, false, [](op_graph& t) { t.result(merge<outer_row, inner_row, row>(t.real<outer_row, inner_row, col>())); }},
    {"rotate", 120000, false, false, 3, true, [](op_graph& t) { t.result(rotate_half<wide>(t.real<row, wide>())); }},
    {"shift", 100000, false, false, 2, false, [](op_graph& t) { t.result(shift<row>(t.real<row, col>(), -1)); }},
    {"gather", 20000, false, false, 2, true, [](op_graph& t) { t.result(gather<col>(t.real<col, dep>(), t.index<row>(-1, 3))); }},
    {"scatter", 900, false, false, 1, false, [](op_graph& t) { t.result(scatter<col>(t.real<row, feature>(), t.index<row>(-1, 3))); }},
    {"random", 5000, false, false, 2, true, [](op_graph& t) { t.result(dropout(t.real<row, col>(), 0.5)); }},
    {"tree", 20000, false, false, 4, false, [](op_graph& t) {
       auto const x = t.real<row, col>();
       auto h = carry(tree<row, merges>(x), x);
       write(h, left(h) + right(h));
       t.result(prefixes(h));
     }},
};

}  // namespace

TEST_CASE("parts: every op and its derivative has the same bits on 1, 2 and 7 threads") {
  exec::pool two(2, 2), seven(7, 7);
  for (int n : {0, 1, 19, 130}) {
    for (gradient_case const& c : op_cases)
      for (bool backward : {false, true}) {
        std::string const name = c.name;
        CAPTURE(name);
        CAPTURE(n);
        CAPTURE(backward);
        op_graph t;
        c.build(t);
        check_all_ways(t, n, backward && !c.zero, two, seven);
      }
    for (recurrence_case const& c : recurrence_cases) {
      std::string const name = c.name;
      if (n > 20 && name.rfind("attend", 0) != 0) continue;
      CAPTURE(name);
      CAPTURE(n);
      op_graph t;
      c.build(t);
      dyadic::detail::link(t.b);
      check_all_ways(t, n, true, two, seven);
    }
  }
}

TEST_CASE("parts: each class of kernel is cut into 7 parts or more where it is large") {
  exec::pool seven(7, 7);
  for (large const& c : classes) {
    std::string const name = c.name;
    op_graph t;
    c.build(t);
    dyadic::detail::link(t.b);
    subject const s(t, c.n, c.backward, c.fused);
    test::counting count{seven, {}};
    cpu::options const usual;
    auto const many = s.run(count, usual.least_work, usual.query_block, usual.key_block);
    std::string runs;
    for (auto const k : count.runs) runs += " " + std::to_string(k);
    CAPTURE(name);
    CAPTURE(runs);
    auto const cut = std::count_if(count.runs.begin(), count.runs.end(), [](std::int64_t k) { return k >= 7; });
    CHECK(cut >= c.runs);
    if (c.all) CHECK(cut == static_cast<std::ptrdiff_t>(count.runs.size()));
    CHECK(same_bits(s.run(exec::serial{}, usual.least_work, usual.query_block, usual.key_block), many));
  }
}

TEST_CASE("parts: pieces and boxes cover everything once") {
  for (std::int64_t n : {0, 1, 2, 63, 64, 65, 1000})
    for (std::int64_t wanted : {1, 2, 7, 64, 2000})
      for (std::int64_t grain : {1, 6, 64}) {
        cpu::pieces const p(n, wanted, grain);
        std::int64_t at = 0;
        for (std::int64_t i = 0; i < p.count; ++i) {
          CHECK(p.begin(i) == at);
          CHECK((p.length(i) > 0 || n == 0));
          CHECK((p.begin(i) % grain == 0));
          at += p.length(i);
        }
        CHECK(at == n);
        CHECK(p.count <= (std::max<std::int64_t>)(wanted, 1));
      }
  // A result of 5 x 130 summed over 3: every element is touched 3 times whatever the boxes.
  cpu::nest s;
  for (auto const& [n, r] : {std::pair{5, 130}, {3, 0}, {130, 1}}) {
    cpu::dim d;
    d.n = n;
    d.stride[0] = r;
    s.d[s.count++] = d;
  }
  for (double least : {1e9, 100.0, 1.0}) {
    std::vector<int> touched(5 * 130);
    int* const base[1] = {touched.data()};
    cpu::each_box<1>({{}, least}, s, base, 1, [](cpu::nest const& part, int* const* p, int) {
      cpu::walk<1>(part, p, [](int* const* q, std::int64_t n, std::int64_t const* step) { for (std::int64_t i = 0; i < n; ++i) ++q[0][i * step[0]]; });
    });
    CHECK(std::all_of(touched.begin(), touched.end(), [](int k) { return k == 3; }));
  }
}
