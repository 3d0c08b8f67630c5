// What every operation reads, point by point, from its definition alone.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "dyadic/expr/op_table.hpp"
#include "dyadic/plan/extents.hpp"

namespace test {

using namespace dyadic;   // NOLINT: a checker is all about the library

using point = std::array<int, max_axes>;
struct ranges { point first, second; };

/// The (node, point) pairs of a graph with small extents.
class point_reads {
 public:
  using sink = std::function<void(int, point const&)>;

  /// bound: extents of the axes; those that follow from others may be -1. by_time: merges of trees are numbered as when streaming.
  point_reads(graph_view g, extents const& bound, bool by_time) : g_(g), table_(static_cast<std::size_t>(g.size)) {
    extents const e = resolve(g, bound);
    for (int a = 0; a < g.naxes; ++a) n_[index(a)] = static_cast<int>(e.of[a] < 0 ? 2 : e.of[a]);
    for (int k = 0; k < g.nleaves; ++k) fill_table(g.leaves[k], by_time);
  }

  int extent(int axis) const { return n_[index(axis)]; }
  ranges all() const { return {point{}, n_}; }
  /// By merge: when it can run (by_time), else its level.
  std::vector<std::int32_t> const& times() const { return time_; }

  std::size_t points_of(axis_set s) const {
    std::size_t n = 1;
    for (int a = 0; a < g_.naxes; ++a) if (s >> a & 1) n *= index(n_[index(a)]);
    return n;
  }
  std::size_t offset(int i, point const& x) const {
    std::size_t r = 0;
    for (int a = 0; a < g_.naxes; ++a) if (g_[i].axes >> a & 1) r = r * index(n_[index(a)]) + index(x[index(a)]);
    return r;
  }
  /// Visits the positions of the axes of s within the ranges; the other coordinates of x stay.
  template <class F> void each(axis_set s, point& x, ranges const& r, F&& f, int from = 0) const {
    int a = from;
    while (a < g_.naxes && !(s >> a & 1)) ++a;
    if (a >= g_.naxes) return f();
    int const was = x[index(a)];
    for (x[index(a)] = r.first[index(a)]; x[index(a)] < r.second[index(a)]; ++x[index(a)]) each(s, x, r, f, a + 1);
    x[index(a)] = was;
  }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  /// Calls f(operand, its point) for all that node i reads at x.
  void of(int i, point const& x, sink const& f) const { need_operands(i, x, f); }

  /// What a fold's own side reads at x: what tiles need in advance.
  void of_waiting_side(int i, point const& x, sink const& f) const {
    node const& e = g_[i];
    bool const key_side = e.kind != op::attend;
    need_all(i, e.arg[0], x, bit_of(e.aux), f);
    if (key_side) need_all(i, e.arg[1], x, bit_of(e.aux), f);
    for (int k = 0; k < e.nargs; ++k)
      if (e.arg[k] >= 0 && (g_[e.arg[k]].axes & pair_bit)) near_side_of_pair(i, e.arg[k], x, key_side, f);
  }

 private:
  graph_view g_;
  std::vector<std::vector<std::int32_t>> table_;   // index tables of trees, by node
  std::vector<std::int32_t> time_;
  point n_{};

  void fill_table(leaf const& l, bool by_time) {
    if (l.role != leaf_role::child && l.role != leaf_role::root) return;
    tree_function const& f = g_.trees[l.of];
    int leaves = -1;
    for (int a = 0; a < g_.naxes; ++a) if (g_.axes[a].tree == l.of) leaves = n_[index(g_.axes[a].from)];
    auto const m = static_cast<std::size_t>(f.merges(leaves));
    std::vector<std::int32_t> child(m * index(f.arity)), root(index(leaves)), time(m), level(m);
    f.fill(leaves, by_time, child.data(), root.data(), time.data(), level.data());
    auto const first = child.begin() + static_cast<std::ptrdiff_t>(m) * l.which;
    table_[index(l.node)] = l.role == leaf_role::root ? root : std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(m));
    time_ = by_time ? time : level;
  }

  void need(int i, point const& x, sink const& f) const {
    for (int a = 0; a < g_.naxes; ++a) if ((g_[i].axes >> a & 1) && (x[index(a)] < 0 || x[index(a)] >= n_[index(a)])) return;
    f(i, x);
  }
  // Operand i read at x, and over all positions of `whole` and of what the reader lacks.
  void need_all(int reader, int i, point x, axis_set whole, sink const& f) const {
    each(g_[i].axes & (whole | ~g_[reader].axes) & ~pair_bit, x, all(), [&] { need(i, x, f); });
  }
  // What a score reads, at the query x and the key y.
  void need_pair(int reader, int pair, point const& x, point const& y, sink const& f) const {
    node const& e = g_[pair];
    if (!(e.axes & pair_bit)) return need_all(reader, pair, x, 0, f);
    for (int k = 0; k < e.nargs; ++k) {
      if (e.kind == op::at_key) need_all(reader, e.arg[k], y, 0, f);
      else if (e.arg[k] >= 0) need_pair(reader, e.arg[k], x, y, f);
    }
  }
  void near_side_of_pair(int reader, int pair, point const& x, bool key_side, sink const& f) const {
    node const& e = g_[pair];
    for (int k = 0; k < e.nargs; ++k) {
      if (e.arg[k] < 0) continue;
      if (g_[e.arg[k]].axes & pair_bit) near_side_of_pair(reader, e.arg[k], x, key_side, f);
      else if ((e.kind == op::at_key) == key_side) need_all(reader, e.arg[k], x, 0, f);
    }
  }
  void need_fold(int i, point const& x, sink const& f) const {
    node const& e = g_[i];
    axis_set const d = bit_of(e.aux);
    bool const key_side = e.kind == op::attend_dk || e.kind == op::attend_dv || e.kind == op::attend_dscore_key;
    int sign = 0;
    for (int k = 0; k < e.nargs; ++k) {
      if (e.arg[k] < 0) continue;
      if (e.far[k]) sign = e.far[k];
      else if (!(g_[e.arg[k]].axes & pair_bit)) need_all(i, e.arg[k], x, d, f);
    }
    if (!sign) return;
    int const t = x[index(e.axis)];
    for (int s = sign > 0 ? 0 : t + 1; s < (sign > 0 ? t : n_[index(e.axis)]); ++s) {
      point y = x;
      y[index(e.axis)] = s;
      for (int k = 0; k < e.nargs; ++k) {
        if (e.arg[k] < 0) continue;
        if (e.far[k]) need_all(i, e.arg[k], y, d, f);
        else if (g_[e.arg[k]].axes & pair_bit) need_pair(i, e.arg[k], key_side ? y : x, key_side ? x : y, f);
      }
    }
  }
  void need_operands(int i, point const& x, sink const& f) const {
    node const& e = g_[i];
    int const a = e.axis, t = a >= 0 ? x[index(a)] : 0;
    point y = x;
    switch (e.kind) {
      case op::window:
        y[index(e.aux)] = t + static_cast<int>(e.value) + (e.inner >= 0 ? e.slot * n_[index(e.inner)] : 0);
        return need(e.arg[0], y, f);
      case op::pick:
        if (n_[index(a)] == 0) { if (e.nargs > 1) need_all(i, e.arg[1], x, 0, f); return; }
        y[index(a)] = static_cast<int>(e.value) + (e.value < 0 ? n_[index(a)] : 0);
        return need(e.arg[0], y, f);
      case op::place:
        if (t == static_cast<int>(e.value) + (e.value < 0 ? n_[index(a)] : 0)) need(e.arg[0], y, f);
        return;
      case op::split:
        y[index(a)] = x[index(e.aux)] * n_[index(e.inner)] + x[index(e.inner)];
        return need(e.arg[0], y, f);
      case op::merge:
        y[index(e.aux)] = t / n_[index(e.inner)];
        y[index(e.inner)] = t % n_[index(e.inner)];
        return need(e.arg[0], y, f);
      case op::prev: case op::shift:
        y[index(a)] = t - static_cast<int>(e.value) * e.far[0];
        if (y[index(a)] >= 0) need(e.arg[0], y, f);
        else if (e.nargs > 1) need_all(i, e.arg[1], x, 0, f);
        return;
      case op::take: {
        int const j = table_[index(e.arg[2])].at(offset(e.arg[2], x));
        y[index(j >= 0 ? e.axis : e.aux)] = j >= 0 ? j : ~j;
        return need(e.arg[j >= 0 ? 0 : 1], y, f);
      }
      case op::put: case op::put_leaf:
        return each(g_[e.arg[1]].axes, y, all(), [&] {
          int const j = table_[index(e.arg[1])].at(offset(e.arg[1], y));
          if (e.kind == op::put ? j == x[index(e.axis)] : ~j == x[index(e.aux)]) need(e.arg[0], y, f);
        });
      case op::gather: need_all(i, e.arg[1], x, 0, f); return need_all(i, e.arg[0], x, bit_of(a), f);
      case op::scatter: need_all(i, e.arg[1], x, bit_of(a), f); return need_all(i, e.arg[0], x, bit_of(a), f);
      case op::softmax: case op::rotate_half: return need_all(i, e.arg[0], x, bit_of(a), f);
      case op::attend: case op::attend_lse: case op::attend_dq: case op::attend_dk: case op::attend_dv:
      case op::attend_dscore_query: case op::attend_dscore_key: return need_fold(i, x, f);
      default:
        for (int k = 0; k < e.nargs; ++k) need_all(i, e.arg[k], x, 0, f);
    }
  }
};

}  // namespace test
