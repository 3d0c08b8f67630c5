// What the kernels of the plain engine share: buffers, the positions of the loops, and statements prepared as tasks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "dyadic/axes/error.hpp"
#include "dyadic/cpu/gemm.hpp"
#include "dyadic/cpu/nest.hpp"
#include "dyadic/cpu/parts.hpp"
#include "dyadic/plan/plan.hpp"

namespace dyadic::cpu {

/// An operand's address: a buffer, a constant offset, and the axes whose position is known only when the statement runs.
struct address {
  struct term { std::int8_t axis; bool of_rows; bool windowed; std::int16_t ring; std::int64_t stride; };
  int base = arena_base, count = 0;
  std::int64_t offset = 0;
  term t[max_streams * 3];
};

/// One axis of an operand that a kernel walks itself: position -> offset.
struct along {
  std::int64_t stride = 0;
  std::int16_t ring = 0;
  bool windowed = false;
};

/// How an axis stands while a statement runs: over the caller's rows; at one position; over a range that changes from run to run.
enum class mode : std::uint8_t { rows, single, varying };

/// How long an operand stays the same: from the beginning of a loop (the statement) to its end, but for the loops over `inside`.
struct kept_in {
  static constexpr int no_loop = -2, until_bound = -1;
  int loop = no_loop;
  axis_set inside = 0;
};

template <class T> struct engine;
template <class T> struct kept_panels;
inline constexpr int max_rings = 4;

/// A run statement, ready to go.
template <class T> struct task {
  void (*run)(engine<T>&, task<T> const&) = nullptr;
  int node = -1;
  bool active_rows = false, each_pass = false;   ///< on the rows of a pass alone; for every pass in turn
  bool plain = true;             ///< no guard, no active rows, no rings to split at
  std::int8_t ring_axis = -1;    ///< run in pieces of this axis that cross no multiple of a ring: rows beyond lie elsewhere
  int rings = 0;
  std::int16_t ring[max_rings]{};
  stmt::guard_t guard = stmt::always;
  mode modes[max_axes]{};
  address of[max_streams];       ///< result, then operands
  address whole;                 ///< the result at the loops' positions, for `inactive`
  nest all;                      ///< the main loops
  nest clear;                    ///< the whole result, for kernels that add to it
  nest inactive;                 ///< rows set to zero where a pass is not active
  nest part[3];                  ///< a contraction's m, n, k
  along far[3];                  ///< axes the kernel walks itself
  std::int64_t number[4]{};
  kept_in kept[2];               ///< a contraction's operands
  int panels = -1;               ///< index of the one that is packed
  int fold = -1;                 ///< index of a fold's own data
  int group = -1;                ///< index of a group's
};

template <class T> struct fold_data;
template <class T> struct group_data;

template <class T> struct engine {
  graph_view g;
  extents ext;
  window win;
  std::vector<placement> where;
  std::vector<storage> kept;
  std::vector<T*> bases;
  range at[max_axes], rows[max_axes];
  bool restricted[max_axes]{};
  std::int64_t window_begin = 0;
  division on;                  ///< of statements among threads
  std::vector<gemm_room<T>> pack = std::vector<gemm_room<T>>(1);   ///< packed operands of matrix products, by worker
  std::vector<kept_panels<T>> panels;                              ///< operands of matrix products that are packed once for a loop
  bool keeps_panels = true, panels_made = false;                   ///< whether there are any; the first preparation has made them
  bool fixed_parameters = false;                                   ///< parameters stay as they are until they are bound again
  std::vector<fold_data<T>> folds;
  std::vector<group_data<T>> groups;
  std::vector<std::vector<std::int32_t>> put_start, put_item;   ///< by node: the transpose of a tree's table, row by row
  std::uint64_t seed = 0, step = 0;
  bool training = false;
  std::int64_t query_block = 32, key_block = 64;
  int active_leaf = -1, pass_axis = -1, row_axis = -1;          ///< of interleaved solving
  std::int64_t active_stride = 0;

  placement const& place(int i) const { return where[static_cast<std::size_t>(i)]; }

  T* pointer(address const& a) const {
    std::int64_t o = a.offset;
    for (int i = 0; i < a.count; ++i) {
      auto const& t = a.t[i];
      std::int64_t x = t.of_rows ? rows[t.axis].lo : at[t.axis].lo;
      if (t.ring) x %= t.ring;
      if (t.windowed) x -= window_begin;
      o += x * t.stride;
    }
    return bases[static_cast<std::size_t>(a.base)] + o;
  }
  std::int64_t offset(along const& a, std::int64_t x) const {
    if (a.ring) x %= a.ring;
    if (a.windowed) x -= window_begin;
    return x * a.stride;
  }
  along axis_of(int i, int axis) const { return axis_of(place(i), axis); }
  along axis_of(placement const& p, int axis) const {
    return {p.stride[axis], axis == p.ring_axis ? p.ring : std::int16_t{0}, axis == p.window_axis};
  }
  /// Address of node i where `axes` stand at the loops' positions and `reduced` at the caller's rows; other axes are left to the kernel.
  address address_of(int i, axis_set axes, axis_set reduced, mode const* modes) const { return address_of(place(i), axes, reduced, modes); }
  [[gnu::noinline]] address address_of(placement const& p, axis_set axes, axis_set reduced, mode const* modes) const {
    address a;
    a.base = p.base;
    a.offset = p.offset;
    for (int x = 0; x < g.naxes; ++x) {
      if (!((axes | reduced) >> x & 1) || p.stride[x] == 0) continue;
      bool const of_rows = (reduced >> x & 1) && !walks_range(x, modes, true);
      if (!restricted[x] && x != p.window_axis && (of_rows || modes[x] == mode::rows)) continue;
      along const w = axis_of(p, x);
      a.t[a.count++] = {static_cast<std::int8_t>(x), of_rows, w.windowed, w.ring, w.stride};
    }
    return a;
  }
  /// A range that varies holds for the result's axes; a reduction runs over the caller's rows, or the active ones of a pass.
  bool walks_range(int axis, mode const* modes, bool reduced) const {
    return modes[axis] == mode::varying && (!reduced || axis == row_axis);
  }
  /// The loop over an axis in a statement; false: none is needed.
  bool loop(int axis, mode const* modes, bool reduced, dim& d) const {
    d = dim{};
    if (walks_range(axis, modes, reduced)) { d.axis = static_cast<std::int8_t>(axis); return true; }
    if (modes[axis] == mode::single && !reduced) return false;
    d.n = rows[axis].n;
    return d.n != 1;
  }
  /// Axis numbers in the order of the layout, outermost first.
  int layout_order[max_axes]{};
  void order_axes() {
    int n = 0;
    for (int rank = 0; rank < layout_ranks; ++rank)
      for (int a = 0; a < g.naxes; ++a) if (layout_rank(g.axes[a].role) == rank) layout_order[n++] = a;
  }
  /// Loops over `over` (in the order of the layout) with the strides of up to four nodes (-1: none). `reduced` axes run over the rows.
  /// Along `blind` the stream `of` does not move: the kernel finds its position there itself.
  [[gnu::noinline]] nest loops(task<T> const& k, axis_set over, axis_set reduced, int r, int x = -1, int y = -1, int z = -1,
                               int blind = -1, int of = 1) const {
    nest s;
    s.joinable = !k.active_rows;
    int const nodes[max_streams] = {r, x, y, z};
    for (int q = 0; q < g.naxes; ++q) {
      int const a = layout_order[q];
      dim d;
      if (!(over >> a & 1) || !loop(a, k.modes, reduced >> a & 1, d)) continue;
      for (int i = 0; i < max_streams; ++i)
        if (nodes[i] >= 0 && !(a == blind && i == of)) d.stride[i] = place(nodes[i]).stride[a];
      s.add(d);
    }
    return s;
  }
};

template <class T> inline void fill(T* p, std::int64_t n, std::int64_t stride, T value) {
  if (stride == 1) for (std::int64_t i = 0; i < n; ++i) p[i] = value;
  else for (std::int64_t i = 0; i < n; ++i) p[i * stride] = value;
}
/// One value to all elements of a nest.
template <class T> inline void fill(nest const& resolved, T* r, T value) {
  T* const base[1] = {r};
  walk<1>(resolved, base, [&](T* const* p, std::int64_t n, std::int64_t const* q) { fill(p[0], n, n == 1 ? 1 : q[0], value); });
}
template <class T> inline void fill(engine<T>& e, nest const& s, T* r, T value) {
  nest room;
  T* const base[1] = {r};
  each_box<1>(e.on, resolved(s, e.at, room), base, 0.1, [value](nest const& part, T* const* p, int) { fill(part, p[0], value); });
}

}  // namespace dyadic::cpu
