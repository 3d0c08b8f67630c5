// Parameters by name: what a graph's path table spells.
#pragma once
#include <string>
#include <vector>

#include "dyadic/plan/extents.hpp"

namespace dyadic {

namespace detail {
inline void spell(graph_view const& g, int path, std::int64_t index, std::string& out) {
  path_part const& p = g.paths[path];
  if (p.parent >= 0) spell(g, p.parent, index, out);
  auto dot = [&] { if (!out.empty()) out += '.'; };
  if (p.text && *p.text) { dot(); out += p.text; }
  if (p.axis >= 0) { dot(); out += std::to_string(index + p.offset); }
}
}  // namespace detail

/// The name of leaf l; for a parameter of a repeated module, that of its `index`-th layer.
inline std::string leaf_name(graph_view const& g, leaf const& l, std::int64_t index = 0) {
  std::string out;
  if (l.path >= 0) detail::spell(g, l.path, index, out);
  else if (l.name) out = l.name;
  return out;
}
/// The elements of one layer's part of a parameter, or of an input.
inline std::int64_t leaf_size(leaf const& l, extents const& e) {
  std::int64_t n = 1;
  for (int r = 0; r < l.rank; ++r) n *= e.of[l.order[r]];
  return n;
}
/// How many parts there are: one, or the extent of the repeat axis.
inline std::int64_t leaf_parts(leaf const& l, extents const& e) { return l.index_axis >= 0 ? e.of[l.index_axis] : 1; }

/// The shape of a parameter's tensor in checkpoints: [outputs, inputs] for a weight, one axis for gains and biases.
inline std::vector<std::int64_t> checkpoint_shape(leaf const& l, extents const& e) {
  bool const matrix = l.fan > 0 && l.rank > l.fan;
  std::vector<std::int64_t> shape(matrix ? 2 : 1, 1);
  for (int r = 0; r < l.rank; ++r) shape[matrix && r >= l.rank - l.fan ? 1 : 0] *= e.of[l.order[r]];
  return shape;
}

}  // namespace dyadic
