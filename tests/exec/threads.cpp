// The engine on 1, 2 and 7 threads: the same bits. With parts as small as can be, every kernel of every system is cut wherever it may be.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "dyadic/exec/pool.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/passes/fuse.hpp"
#include "exec/counting.hpp"
#include "support/systems.hpp"

using namespace dyadic;

namespace {

/// All outputs of a training program, one after another.
std::vector<double> outputs(graph_view g, plan_view p, test::lengths const& n, cpu::workers on, double least_work) {
  extents const e = test::bound_to(g, n);
  cpu::options o;
  o.poison = true;
  o.on = on;
  o.least_work = least_work;
  o.query_block = 4;
  o.key_block = 8;
  runner<double> run(g, p, e, o);
  auto parameters = shared<parameter_set<double>>::make(g, e);
  initialise(*parameters, seed{1});
  test::move_parameters(*parameters, 5);
  run.bind_parameters(parameters);
  if (n.subsets > 0) run.engine().set_active(n.subsets);
  run.engine().set_random(7, 3, true);
  for (auto const& [name, v] : test::sequence_for(g, n)) if (run.has_input(name)) run.set(name, std::span<double const>(v));
  auto const weight = run.input(run.seed_leaf("loss"));
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = 0.5 + 0.25 * static_cast<double>(i % 5);
  std::vector<double> all;
  for (int twice = 0; twice < 2; ++twice) run.run();   // the second finds what the first left behind
  for (int k = 0; k < g.noutputs; ++k) {
    auto const v = run.engine().output(k);
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

bool same_bits(std::vector<double> const& x, std::vector<double> const& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
}

}  // namespace

TEST_CASE("every system's gradients: the same bits on 1, 2 and 7 threads, cut as finely as can be") {
  exec::pool two(2, 2), seven(7, 7);
  for (auto const& t : test::trainings()) {
    builder const graph = test::trained(t.of->traced, t.solver);
    graph_view const g = graph.view();
    for (bool fused : {false, true}) {
      plan const p = test::planned(g, fused);
      for (int positions : {11, 1}) {
        std::string const name = t.name();
        CAPTURE(name);
        CAPTURE(fused);
        CAPTURE(positions);
        auto const n = t.bound(2, positions);
        test::counting count{seven, {}};
        auto const one = outputs(g, p.view(), n, exec::serial{}, 1);
        CHECK(same_bits(one, outputs(g, p.view(), n, two, 1)));
        CHECK(same_bits(one, outputs(g, p.view(), n, count, 1)));
        CHECK(std::count_if(count.runs.begin(), count.runs.end(), [](std::int64_t c) { return c >= 7; }) > (positions > 1 ? 15 : 0));
        // Uncut: sums in other orders, otherwise the same.
        CHECK(test::apart(one, outputs(g, p.view(), n, exec::serial{}, 1e18)) < 1e-9);
      }
    }
  }
}
