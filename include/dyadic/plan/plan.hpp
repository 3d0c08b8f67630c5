// A plan: the order in which the points of a graph are computed. Nested loops over axes, straight lines of whole-array statements between.
#pragma once
#include <cstdint>

#include "dyadic/expr/node.hpp"
#include "dyadic/expr/scratch.hpp"

namespace dyadic {

/// How a member of a group stands to the group's domain. element: over all of it. row: without the row axis: a reduction along it, or
/// pointwise in such values. columns: a sum over other axes, which the kernel adds to as it goes.
enum class member_level : std::uint8_t { element, row, columns };

struct stmt {
  enum kind_t : std::uint8_t { run, begin, end };
  /// In a streamed loop: when a per-chunk value is computed. At a chunk's end, a value that also has the chunk's inner axis is computed at
  /// all its positions: it needs the whole chunk (a softmax over it).
  enum guard_t : std::uint8_t { always, chunk_begin, chunk_end };
  kind_t kind = run;
  std::int8_t dir = 1;          ///< begin: +1 ascending, -1 descending
  bool tiled = false;           ///< begin: some fold takes tiles in this loop; run: this fold does (in the nearest loop over its axis)
  bool levelled = false;        ///< begin: positions run in the ranges of a tree's levels
  bool streamed = false;        ///< begin: parts of the axis (chunks, merges of a tree) advance with it
  bool active_rows = false;     ///< run: only the rows that are new in the current pass
  guard_t guard = always;
  std::int16_t id = -1;         ///< run: node; begin, end: axis
  std::int16_t group = -1;      ///< run: neighbours of the same number are computed together, by one kernel
  std::int8_t row = -1;         ///< of a group: its row axis
  member_level level = member_level::element;   ///< of a group's member
  std::int16_t other = -1;      ///< begin: index of its end; end: index of its begin
  constexpr bool operator==(stmt const&) const = default;
};

struct plan_view {
  stmt const* s = nullptr;
  int size = 0;
  int stuck = -1;               ///< a node of a cycle that no loop can cut, or -1
  int stuck_axis = -1;          ///< where an axis was forced: that axis
  constexpr stmt const& operator[](int i) const { return s[i]; }
};

/// A plan being built.
struct plan {
  detail::grown<stmt> s;
  int stuck = -1, stuck_axis = -1;
  constexpr plan_view view() const { return {s.p, s.size, stuck, stuck_axis}; }
};

template <int Size> struct sealed_plan {
  stmt s[Size > 0 ? Size : 1]{};
  int stuck = -1, stuck_axis = -1;
  constexpr plan_view view() const { return {s, Size, stuck, stuck_axis}; }
};
template <int Size> constexpr sealed_plan<Size> seal(plan const& p) {
  sealed_plan<Size> r;
  for (int i = 0; i < Size; ++i) r.s[i] = p.s[i];
  r.stuck = p.stuck; r.stuck_axis = p.stuck_axis;
  return r;
}

}  // namespace dyadic
