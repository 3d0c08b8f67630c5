// Where the elements of a node lie: which buffer, and the distance between neighbours along every axis.
#pragma once
#include <cstdint>
#include <vector>

#include "dyadic/axes/error.hpp"
#include "dyadic/expr/leaf.hpp"
#include "dyadic/plan/extents.hpp"
#include "dyadic/plan/storage.hpp"

namespace dyadic {

/// What an engine's buffers are called: the arena, the state that survives between runs, immediates, then one per leaf.
enum base_index : int { arena_base = 0, state_base = 1, constant_base = 2, iota_base = 3, first_leaf_base = 4 };

/// Buffer, offset and strides of one node. A stride of 0: the node lacks the axis, or keeps one position of it at a time.
struct placement {
  int base = arena_base;
  std::int64_t offset = 0;
  std::int64_t stride[max_axes]{};
  std::int8_t ring_axis = -1;    ///< only `ring` rows are kept along this axis, row t at t % ring
  std::int16_t ring = 0;
  std::int8_t window_axis = -1;  ///< the buffer starts at the first position of the caller's window along this axis
};

namespace detail {
inline void leaf_strides(leaf const& l, node const& x, extents const& e, std::int64_t* stride) {
  std::int64_t k = 1;
  auto add = [&](int axis) {
    if (axis < 0) return;
    if (x.axes & bit_of(axis)) stride[axis] = k;
    k *= e.of[axis];
  };
  for (int i = l.rank; i-- > 0;) if (l.order[i] != l.index_axis) add(l.order[i]);
  add(l.index_axis);
}
}  // namespace detail

/// The placement of every node of g.
inline std::vector<placement> placements(graph_view g, memory_plan const& m, extents const& e) {
  std::vector<placement> r(static_cast<std::size_t>(g.size));
  extents inside = e;   // of the values that live in the arena
  if (m.stream >= 0 && m.window > 0) inside.of[m.stream] = m.window;
  for (int i = 0; i < g.size; ++i) {
    node const& x = g[i];
    storage const& s = m.of.p[i];
    placement& p = r[static_cast<std::size_t>(i)];
    if (x.kind == op::constant || x.kind == op::extent) {   // never computed: one number, read with stride 0
      p.base = constant_base; p.offset = i;
      continue;
    }
    if (x.kind == op::iota) { p.base = iota_base; p.stride[x.axis] = 1; continue; }
    if (s.region == storage::leaf || s.region == storage::none) continue;
    if (s.row_table >= 0) raise(error_kind::argument, "this engine does not read compacted rows: plan the memory without compact_keeps");
    bool const state = s.region == storage::state;
    p.base = state ? state_base : arena_base;
    p.offset = s.offset;
    extents of = state ? e : inside;
    if (s.ring > 0) {
      p.ring_axis = static_cast<std::int8_t>(m.stream);
      p.ring = s.ring;
      of.of[m.stream] = s.ring;
    } else if (!state && m.stream >= 0 && m.window > 0 && (s.stored >> m.stream & 1)) {
      p.window_axis = static_cast<std::int8_t>(m.stream);
    }
    strides(g, of, s.stored, p.stride);
  }
  for (int l = 0; l < g.nleaves; ++l) {
    if (g.leaves[l].node < 0) continue;
    placement& p = r[static_cast<std::size_t>(g.leaves[l].node)];
    p.base = first_leaf_base + l;
    p.offset = 0;
    for (auto& s : p.stride) s = 0;
    detail::leaf_strides(g.leaves[l], g[g.leaves[l].node], e, p.stride);
  }
  return r;
}

}  // namespace dyadic
