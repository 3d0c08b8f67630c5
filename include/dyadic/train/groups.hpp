// Parameter groups: which parameters decay, and which learn at another rate, by name and rank.
#pragma once
#include <span>
#include <string_view>

namespace dyadic::train {

/// The first group whose predicate holds decides. rank: the axes of the parameter in one layer, without the layer axis.
struct group {
  bool (*matches)(std::string_view name, int rank) = nullptr;
  double rate_factor = 1;    ///< multiplies the rate
  double decay_factor = 1;   ///< multiplies the weight decay; 0: none
};

/// What the first matching group says; outside of every group, factors of 1.
constexpr group group_of(std::span<group const> groups, std::string_view name, int rank) {
  for (group const& g : groups) {
    if (g.matches && g.matches(name, rank)) return g;
  }
  return {};
}

/// Gains, biases and other vectors do not decay; matrices and tables do.
constexpr bool is_vector(std::string_view, int rank) { return rank < 2; }
constexpr bool is_norm_or_bias(std::string_view name, int) {
  return name.find("norm") != std::string_view::npos || name.find("bias") != std::string_view::npos;
}
inline constexpr group usual_groups[] = {{.matches = is_vector, .decay_factor = 0}, {.matches = is_norm_or_bias, .decay_factor = 0}};

}  // namespace dyadic::train
