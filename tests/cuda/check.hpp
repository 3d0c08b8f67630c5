// A device program against the definition: values, violations, bytes.
#pragma once
#include <cmath>
#include <random>

#include "cuda/machine.hpp"
#include "dyadic/expr/random_value.hpp"
#include "dyadic/passes/cost.hpp"
#include "support/reference_evaluator.hpp"

namespace dyadic::testing {

struct device_report {
  double error = 0;               ///< the largest |device - definition| of an output over 1 + the largest number of it and its operands
  int node = -1;
  std::string violations;
  double moved = 0, predicted = 0;   ///< bytes of values with axes, by the machine's count and by `cost`
};

/// Runs p with `data` (by leaf). The definition is evaluated in double, of the same numbers in float.
inline device_report check_device(device_program const& p, std::vector<std::int64_t> const& n, std::vector<std::vector<double>> data) {
  device_report r;
  extents e;
  for (std::size_t a = 0; a < n.size(); ++a) e.of[a] = n[a];
  std::vector<std::vector<float>> leaves;
  for (auto& leaf : data) {
    leaves.emplace_back(leaf.begin(), leaf.end());
    leaf.assign(leaves.back().begin(), leaves.back().end());
  }
  reference_evaluator judge(p.graph, n, data);
  judge.random = [&](node const& x, position const& at) {
    std::uint64_t index = 0;
    for (int rank = 0; rank < layout_ranks; ++rank)
      for (int a = 0; a < p.graph.naxes; ++a)
        if ((x.axes >> a & 1) && layout_rank(p.graph.axes[a].role) == rank)
          index = index * static_cast<std::uint64_t>(e.of[a]) + static_cast<std::uint64_t>(at.of[a]);
    return random_numbers::random_value(x.kind, x.value, true, 7, 3, x.slot, index);
  };
  auto const device = p.make(e);
  device->set_random(7, 3, true);
  for (int l = 0; l < p.graph.nleaves; ++l)
    if (p.graph.leaves[l].node >= 0) device->set_leaf(l, leaves[static_cast<std::size_t>(l)]);
  watch(device->regions(), p.graph);
  device->run();
  device->run();   // a graph is launched again: what a first run left must not matter
  for (int k = 0; k < p.graph.noutputs; ++k) {
    output const& o = p.graph.outputs[k];
    if (o.node < 0) continue;
    std::vector<float> const got = device->output(k);
    position at;
    std::int64_t count = 1;
    for (int d = 0; d < o.rank; ++d) count *= e.of[o.order[d]];
    double off = 0, most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t rest = i;
      for (int d = o.rank; d-- > 0; rest /= e.of[o.order[d]]) at.of[o.order[d]] = rest % e.of[o.order[d]];
      double const want = judge.at(o.node, at), have = static_cast<double>(got.at(static_cast<std::size_t>(i)));
      if (want == have) continue;
      if (std::isfinite(want)) most = std::max(most, std::fabs(want));
      double const apart = std::fabs(have - want);
      off = std::max(off, std::isnan(apart) ? 1e9 : apart);
    }
    // A difference of large numbers has the error of those.
    node const& x = p.graph[o.node];
    for (int a = 0; a < x.nargs; ++a) {
      if (x.arg[a] < 0) continue;
      judge.each(p.graph[x.arg[a]].axes, position{}, [&](position const& where) {
        double const v = std::fabs(judge.at(x.arg[a], where));
        if (std::isfinite(v)) most = std::max(most, v);
      });
    }
    off /= 1 + most;
    if (off > r.error) { r.error = off; r.node = o.node; }
  }
  r.violations = violations();
  for (auto const& [i, bytes] : moved())
    if (i >= 0 && p.graph[i].axes) r.moved += static_cast<double>(bytes.read + bytes.written) / 2;   // of two runs
  r.predicted = measure_cost(p.graph, p.plan, e).bytes;
  return r;
}

}  // namespace dyadic::testing
