// Derivatives against differences: the adjoint of a graph, evaluated by definition, beside extrapolated central differences of its forward
// values, with a random cotangent.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "dyadic/passes/adjoint.hpp"
#include "support/op_graph.hpp"

namespace dyadic::testing {

struct gradient_report {
  double error = 0;     ///< largest |derivative - difference| / (1 + |difference|)
  double norm = 0;      ///< of the derivatives of all inputs
  double smallest_norm = 0;   ///< of any input with elements
  bool failed = false;  ///< no derivative, or a cycle
};

/// Checks every real input of `of`, at most `most` elements of each.
inline gradient_report check_gradient(op_graph const& of, std::int64_t n, unsigned seed, int most = 24) {
  gradient_report r;
  adjoint_request request;
  request.outputs = 1;
  request.inputs = true;
  builder const joint = adjoint(of.b.view(), request);
  if (joint.error != fault::none) { r.failed = true; return r; }
  std::vector<std::int64_t> const extents = of.extents_for(n);
  std::vector<std::vector<double>> data = of.data_for(extents, seed);
  graph_view const g = of.b.view();
  int const y = g.outputs[0].node;

  std::mt19937 random(seed + 1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  reference_evaluator forward(g, extents, data);
  std::vector<double> cotangent(forward.all(y).size());   // by axis number, the order of `all`
  for (double& c : cotangent) c = uniform(random);

  // The seed's own layout may order the axes otherwise.
  data.resize(static_cast<std::size_t>(joint.leaves.size));
  int const seed_leaf = joint.leaves.size - 1;
  data.back().resize(cotangent.size());
  {
    std::size_t k = 0;
    forward.each(g[y].axes, position{}, [&](position const& p) {
      data.back()[static_cast<std::size_t>(forward.leaf_index(joint.leaves[seed_leaf], p))] = cotangent[k++];
    });
  }
  auto const loss = [&](std::vector<std::vector<double>> const& at) {
    reference_evaluator e(g, extents, at);
    double s = 0;
    std::size_t k = 0;
    for (double v : e.all(y)) { double const c = cotangent[k++]; s += c * v; }
    return s;
  };

  reference_evaluator backward(joint.view(), extents, data);
  bool first = true;
  for (int o = 0; o < joint.outputs.size; ++o) {
    output const& gradient = joint.outputs[o];
    if (gradient.role != output_role::gradient) continue;
    leaf const& x = joint.leaves[gradient.leaf];
    std::size_t const l = static_cast<std::size_t>(gradient.leaf);
    std::vector<double> derivative(data[l].size(), 0.0);
    backward.each(joint[x.node].axes, position{}, [&](position const& p) {
      derivative[static_cast<std::size_t>(backward.leaf_index(x, p))] = backward.at(gradient.node, p);
    });
    double norm = 0;
    for (double d : derivative) norm += d * d;
    r.norm += norm;
    if (!derivative.empty()) { r.smallest_norm = first ? norm : std::min(r.smallest_norm, norm); first = false; }
    std::size_t const step = std::max<std::size_t>(1, derivative.size() / static_cast<std::size_t>(most));
    for (std::size_t i = 0; i < derivative.size(); i += step) {
      double const at = data[l][i], h = 1e-3;
      auto const difference = [&](double d) {
        std::vector<std::vector<double>> moved(data.begin(), data.end() - 1);
        moved[l][i] = at + d;
        double const up = loss(moved);
        moved[l][i] = at - d;
        return (up - loss(moved)) / (2 * d);
      };
      double const numeric = (4 * difference(h / 2) - difference(h)) / 3;   // the error is of fourth order
      double const error = std::abs(derivative[i] - numeric) / (1 + std::abs(numeric));
      if (!(error <= r.error)) r.error = error;   // NaN counts
    }
  }
  if (backward.cycle >= 0 || forward.cycle >= 0) r.failed = true;
  return r;
}

}  // namespace dyadic::testing
