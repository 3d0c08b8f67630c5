// The number of a model's parameters: elements of its parameter leaves, shared ones once.
#pragma once
#include "dyadic/plan/extents.hpp"

namespace dyadic {

/// `e` must know the axes of the parameters (unbound_parameter_axes is empty); others, such as the batch, may stay unbound.
constexpr std::int64_t count_parameters(graph_view g, extents const& e) {
  std::int64_t n = 0;
  for (int i = 0; i < g.nleaves; ++i) {
    leaf const& l = g.leaves[i];
    if (l.role != leaf_role::parameter) continue;
    std::int64_t size = l.index_axis >= 0 ? e.of[l.index_axis] : 1;
    for (int k = 0; k < l.rank; ++k) if (l.order[k] != l.index_axis) size *= e.of[l.order[k]];
    n += size;
  }
  return n;
}

/// Axes of parameters whose extent `e` does not know.
constexpr axis_set unbound_parameter_axes(graph_view g, extents const& e) {
  axis_set s = 0;
  for (int i = 0; i < g.nleaves; ++i) {
    leaf const& l = g.leaves[i];
    if (l.role != leaf_role::parameter) continue;
    if (l.index_axis >= 0 && e.of[l.index_axis] < 0) s |= bit_of(l.index_axis);
    for (int k = 0; k < l.rank; ++k) if (e.of[l.order[k]] < 0) s |= bit_of(l.order[k]);
  }
  return s;
}

}  // namespace dyadic
