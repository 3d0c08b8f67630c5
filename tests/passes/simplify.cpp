// simplify and keep_outputs: less of a graph, the same values.
#include <cmath>
#include "dyadic/passes/simplify.hpp"

#include <doctest/doctest.h>

#include "passes/hand.hpp"

using namespace dyadic;
using dyadic::testing::hand;

namespace {

struct sample {
  hand g;
  int t, d;
  constexpr sample() : t(g.new_axis(1, axis_role::scan)), d(g.new_axis(2)) {}
};

constexpr int count(graph_view g, op k) {
  int n = 0;
  for (int i = 0; i < g.size; ++i) n += g[i].kind == k;
  return n;
}
constexpr bool near_operands_come_first(graph_view g) {
  for (int i = 0; i < g.size; ++i)
    for (int k = 0; k < g[i].nargs; ++k) if (!g[i].far[k] && g[i].arg[k] >= i) return false;
  return true;
}

constexpr sample identities() {
  sample s;
  hand& g = s.g;
  axis_set const td = bit_of(s.t) | bit_of(s.d);
  int const x = g.leaf_over(td), row = g.leaf_over(bit_of(s.d), leaf_role::parameter), unused = g.leaf_over(bit_of(s.t));
  g.map(op::exp, unused);                                                           // nothing reads it
  int y = g.map(op::mul, g.map(op::add, x, g.constant(0)), g.constant(1));          // x
  y = g.map(op::neg, g.map(op::neg, y));                                            // x
  y = g.map(op::sub, y, g.map(op::mul, g.constant(2), g.constant(3)));              // x - 6
  int const wide = g.repeated(g.repeated(row, td), td);                             // one spread
  y = g.map(op::add, y, wide);
  g.result(g.map(op::tanh, y));
  g.result(g.summed(g.repeated(row, td), bit_of(s.d)));                             // row * extent(t)
  g.result(g.summed(g.repeated(row, td), 0));                                       // sum(row) * extent(t)
  g.result(g.summed(g.make(op::constant, td, dtype::f32, 0.5), bit_of(s.t)));       // 0.5 * extent(d), over t
  g.result(g.make(op::select, td, dtype::f32, 0, g.map(op::less, g.constant(1), g.constant(2)), x, wide));   // x
  return s;
}

// h[t] = tanh(h[t-1] + x[t]), read twice through equal far edges.
constexpr sample recurrence() {
  sample s;
  hand& g = s.g;
  axis_set const td = bit_of(s.t) | bit_of(s.d);
  int const x = g.leaf_over(td);
  int const before = g.earlier(s.t, td, -1), again = g.earlier(s.t, td, -1);
  g[again].slot = g[before].slot;
  int const h = g.map(op::tanh, g.map(op::add, g.map(op::mul, before, g.constant(1)), x));
  g.link(before, h);
  g.link(again, h);
  g.result(h);
  g.result(g.map(op::mul, again, before));
  return s;
}

static_assert([] {
  sample const s = identities();
  builder const r = simplify(s.g.view());
  graph_view const g = r.view();
  if (!near_operands_come_first(g) || g.nleaves != 3 || g.leaves[2].node != -1 || g.leaves[1].node < 0) return false;
  if (count(g, op::neg) || count(g, op::exp) || count(g, op::select) || count(g, op::less)) return false;
  return g[g.outputs[4].node].kind == op::input && count(g, op::sum) == 1 && count(g, op::extent) == 2;
}());
static_assert([] {
  sample const s = recurrence();
  builder const r = simplify(s.g.view());
  return near_operands_come_first(r.view()) && count(r.view(), op::prev) == 1 && count(r.view(), op::mul) == 1;
}());
static_assert([] {
  sample const s = identities();
  builder const r = keep_outputs(s.g.view(), 1u << 1);
  return r.view().noutputs == 1 && count(r.view(), op::tanh) == 0 && count(r.view(), op::sum) == 1 && r.view().leaves[0].node == -1;
}());

void keeps_values(graph_view before, graph_view after) {
  extents const e = dyadic::testing::all_axes(before, 3);
  auto const x = dyadic::testing::outputs_of(before, e), y = dyadic::testing::outputs_of(after, e);
  REQUIRE(x.size() == y.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    REQUIRE(x[k].size() == y[k].size());
    for (std::size_t j = 0; j < x[k].size(); ++j) {
      double const u = x[k][j], v = y[k][j];
      CHECK((u == v || std::isnan(u) || std::fabs(u - v) <= 1e-12 * (1 + std::fabs(u))));   // NaN: a sum over a recurrence that it feeds
    }
  }
}

// Random graphs of what simplify looks for.
builder random_graph(std::mt19937_64& random) {
  hand g;
  int const t = g.new_axis(1, axis_role::scan), d = g.new_axis(2);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<int> values{g.leaf_over(bit_of(t) | bit_of(d)), g.leaf_over(bit_of(d)), g.leaf_over(bit_of(t))};
  for (double v : {0.0, 1.0, 2.5}) values.push_back(g.constant(v));
  auto some = [&] { return values[random() % values.size()]; };
  std::vector<int> open;
  for (int n = 0; n < 30; ++n) {
    int const x = some(), y = some();
    op const maps[] = {op::add, op::sub, op::mul, op::minimum, op::maximum};
    int r = x;
    switch (pick(6)) {
      case 0: case 1: r = g.map(maps[pick(5)], x, y); break;
      case 2: r = g.map(pick(2) ? op::neg : op::tanh, x); break;
      case 3: r = g.repeated(x, g.shape(x) | bit_of(t) | (pick(2) ? bit_of(d) : 0)); break;
      case 4: r = g.summed(x, g.shape(x) & (pick(2) ? bit_of(t) : bit_of(d))); break;
      default: r = g.earlier(t, g.shape(x) | bit_of(t), -1); open.push_back(r);
    }
    values.push_back(r);
  }
  for (int r : open) {   // to a value of the same shape: recurrences, some of them through themselves
    int to = -1;
    for (int v : values) if (g.shape(v) == g.shape(r) && (to < 0 || pick(3) == 0)) to = v;
    g.link(r, to);
  }
  for (int n = 0; n < 3; ++n) g.result(values[values.size() - 1 - static_cast<std::size_t>(pick(8))]);
  return g;
}

}  // namespace

TEST_CASE("simplify keeps every value") {
  sample const a = identities(), b = recurrence();
  keeps_values(a.g.view(), simplify(a.g.view()).view());
  keeps_values(b.g.view(), simplify(b.g.view()).view());
}

TEST_CASE("simplify keeps every value of random graphs, and a second time finds nothing") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 300; ++n) {
    builder const g = random_graph(random);
    builder const once = simplify(g.view()), twice = simplify(once.view());
    CHECK(near_operands_come_first(once.view()));
    CHECK(once.size() <= g.size() + 8);
    CHECK(twice.size() <= once.size());
    keeps_values(g.view(), once.view());
  }
}
