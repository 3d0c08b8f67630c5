// Where every value of a graph lives: the plain data that the memory pass decides and engines obey.
#pragma once
#include <cstdint>

#include "dyadic/expr/scratch.hpp"
#include "dyadic/plan/extents.hpp"

namespace dyadic {

struct storage {
  enum region_t : std::uint8_t {
    none,    ///< nowhere: pair nodes, constants (the engine reads node.value)
    arena,   ///< `offset` elements into the arena
    leaf,    ///< the leaf's own buffer: row-major in leaf.order, leaf.index_axis (if any) outermost
    state    ///< `offset` elements into the state buffer, which survives between runs
  };
  region_t region = none;
  axis_set stored = 0;              ///< axes with a stride of their own; the others are those of loops around, overwritten every iteration
  std::int16_t ring = 0;            ///< > 0: along the streamed axis only this many rows are kept, row t at t % ring
  std::int16_t row_table = -1;      ///< >= 0: rows along `node.axis` are compacted: memory_plan::row(row_table, position), -1 for none
  std::int32_t since = -1;          ///< arena: the statement before which the bytes are another value's
  std::int64_t offset = 0, size = 0;              ///< in elements
  std::int64_t state_offset = 0, state_size = 0;  ///< attend only, in the arena: m, then l, each over `stored` without D
};

/// What the memory pass is asked for.
struct memory_request {
  int stream = -1;                  ///< an axis forced outermost (decoding): what is read from afar along it becomes state
  std::int64_t window = 0;          ///< > 0: arena values have this many rows along `stream`, row t at t - window_begin
  bool compact_keeps = false;       ///< store only the rows a `keep` keeps
  int attempts = 3;                 ///< placement orders tried; 0: sizes and live_peak only, no offsets
};

struct memory_plan {
  detail::grown<storage> of;        ///< by node
  std::int64_t arena = 0, state = 0;   ///< elements
  std::int64_t live_peak = 0;       ///< the largest sum of arena values alive at once (sizes rounded up to storage_alignment)
  int stream = -1;                  ///< as requested
  std::int64_t window = 0;
  detail::grown<std::int32_t> rows;    ///< compaction tables, one after another
  detail::grown<std::int32_t> tables;  ///< where each begins
  constexpr std::int64_t row(int table, std::int64_t position) const { return rows.p[tables.p[table] + position]; }
};

/// Every value starts at a multiple of this many elements: 64 bytes of floats.
inline constexpr std::int64_t storage_alignment = 16;

/// Place of an axis in a stored value's layout; lower is further out.
constexpr int layout_rank(axis_role r) {
  return r == axis_role::pass ? 0 : r == axis_role::repeat ? 1 : r == axis_role::merges || r == axis_role::scan ? 2 :
         r == axis_role::batch ? 3 : 4;
}

inline constexpr int layout_ranks = 5;

/// The strides of a row-major value over `stored`: axes by rank, then in the order they were registered; last fastest. 0 for other axes.
/// Returns the number of elements. With a ring or a window pass `stored_extents`.
constexpr std::int64_t strides(graph_view g, extents const& e, axis_set stored, std::int64_t* stride) {
  std::int64_t n = 1;
  for (int a = 0; a < g.naxes; ++a) stride[a] = 0;
  for (int rank = layout_ranks - 1; rank >= 0; --rank)
    for (int a = g.naxes - 1; a >= 0; --a) {
      if (!(stored & bit_of(a)) || layout_rank(g.axes[a].role) != rank) continue;
      stride[a] = n;
      n *= e.of[a];
    }
  return n;
}

/// The extents a node's buffer has: those of its axes, but `ring` or `window` rows along the streamed axis and the kept rows of a
/// compacted value.
constexpr extents stored_extents(graph_view g, memory_plan const& m, int i, extents e) {
  storage const& s = m.of.p[i];
  if (m.stream >= 0) {
    if (s.ring > 0) e.of[m.stream] = s.ring;
    else if (s.region == storage::arena && m.window > 0) e.of[m.stream] = m.window;
  }
  if (s.row_table >= 0) {
    int const a = g.nodes[i].axis;
    std::int64_t n = 0;
    for (std::int64_t t = 0; t < e.of[a]; ++t) if (m.row(s.row_table, t) >= 0) ++n;
    e.of[a] = n;
  }
  return e;
}

}  // namespace dyadic
