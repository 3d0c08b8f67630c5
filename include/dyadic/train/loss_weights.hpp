// How the losses of tokens are averaged. Weights are the cotangent of a model's loss: data, not part of the graph.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dyadic/passes/solve.hpp"

namespace dyadic::train {

/// How much each pass of a solver counts. Empty: all the same (their mean). Otherwise a weight a pass.
///   full_bandwidth(K): the first pass, and the mean of the later ones (Full-bandwidth Transformer, eq. 12, lambda = 1).
struct pass_weights {
  std::vector<double> of;
  double weight(std::int64_t pass, std::int64_t passes) const {
    if (of.empty()) return 1.0 / static_cast<double>(passes);
    return static_cast<std::size_t>(pass) < of.size() ? of[static_cast<std::size_t>(pass)] : 0.0;
  }
};
inline pass_weights full_bandwidth_weights(int passes, double lambda = 1) {
  pass_weights w;
  for (int p = 0; p < passes; ++p) w.of.push_back(p == 0 ? 1.0 : lambda / (passes - 1));
  return w;
}

/// Fills w ([pass, row, position] or [row, position]): within a pass the mean over its visited tokens whose target counts (>= 0);
/// where nothing counts, 0. `targets` may be empty: then every token counts. subsets > 0: interleaved passes
/// visit t mod subsets = pass - 1.
template <class T, class V>
void fill_loss_weights(std::span<T> w, std::span<V const> targets, std::int64_t passes, std::int64_t positions, std::int64_t subsets,
                       pass_weights const& of_pass) {
  std::int64_t const tokens = passes > 0 ? static_cast<std::int64_t>(w.size()) / passes : 0;
  for (std::int64_t p = 0; p < passes; ++p) {
    auto counts = [&](std::int64_t i) {
      bool const visited = subsets <= 0 || p == 0 || (i % positions) % subsets == p - 1;
      return visited && (targets.empty() || targets[static_cast<std::size_t>(i)] >= V(0));
    };
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < tokens; ++i) n += counts(i);
    double const each = n ? of_pass.weight(p, passes) / static_cast<double>(n) : 0;
    for (std::int64_t i = 0; i < tokens; ++i) w[static_cast<std::size_t>(p * tokens + i)] = static_cast<T>(counts(i) ? each : 0.0);
  }
}

}  // namespace dyadic::train
