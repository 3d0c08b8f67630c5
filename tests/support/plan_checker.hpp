// Executes a plan on points instead of numbers: every value that a statement reads must have been made before, and none is made twice.
// Knows what each operation reads from its definition alone; shares nothing with the arranger but the graph.
// Folds in tiled loops count as complete at their own statement; what tiles need in advance is checked where the loop begins.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "dyadic/expr/op_table.hpp"
#include "dyadic/plan/extents.hpp"
#include "dyadic/plan/print.hpp"

namespace test {

using namespace dyadic;   // NOLINT: a checker is all about the library

class plan_checker {
 public:
  using point = std::array<int, max_axes>;

  /// extents: of every axis of the graph; those that follow from others may be -1.
  plan_checker(graph_view g, plan_view p, extents const& bound) : g_(g), p_(p), made_(static_cast<std::size_t>(g.size)), waits_(made_.size()), table_(made_.size()) {
    extents const e = resolve(g, bound);
    for (int a = 0; a < g.naxes; ++a) n_[index(a)] = static_cast<int>(e.of[a] < 0 ? 2 : e.of[a]);
    low_.fill(0);
    high_ = n_;
    for (int k = 0; k < p.size; ++k) if (p[k].kind == stmt::run) waits_[index(p[k].id)] = p[k].guard == stmt::chunk_end;
    for (int k = 0; k < p.size; ++k) stream_ = p[k].kind == stmt::begin && p[k].streamed ? p[k].id : stream_;
    for (int i = 0; i < g.size; ++i) made_[index(i)].assign(points_of(g[i].axes), is_leaf(i) ? 1 : 0);
    for (int k = 0; k < g.nleaves; ++k) fill_table(g.leaves[k]);
  }

  /// The first violation, or an empty text.
  std::string check() {
    if (p_.stuck >= 0) return "stuck at " + name(p_.stuck);
    run(0, p_.size);
    for (int i = 0; i < g_.size && error_.empty(); ++i) {
      if (g_[i].axes & pair_bit) continue;
      point x{};
      each(g_[i].axes, x, all(), [&] { if (!made_[index(i)][offset(i, x)] && !is_never_complete(i, x)) fail(name(i) + at(i, x) + " is never made"); });
    }
    return error_;
  }

 private:
  graph_view g_;
  plan_view p_;
  std::vector<std::vector<char>> made_;           // by node and point
  std::vector<char> waits_;                       // by node: computed when its chunk ends
  std::vector<std::vector<std::int32_t>> table_;  // index tables of trees, by node
  std::vector<std::int32_t> time_;                // of merges, when streaming
  std::array<int, max_axes> n_{}, low_{}, high_{};
  int stream_ = -1;
  std::string error_;

  struct part { int axis, outer, inner; };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  bool is_leaf(int i) const { return g_[i].kind == op::input || g_[i].kind == op::param; }
  std::pair<std::array<int, max_axes>, std::array<int, max_axes>> all() const { return {std::array<int, max_axes>{}, n_}; }
  std::pair<std::array<int, max_axes>, std::array<int, max_axes>> current() const { return {low_, high_}; }
  void fail(std::string const& text) { if (error_.empty()) error_ = text; }
  std::string name(int i) const { return std::string(op_name(g_[i].kind)) + "." + std::to_string(i); }
  std::string at(int i, point const& x) const {
    std::string r = "[";
    for (int a = 0; a < g_.naxes; ++a)
      if (g_[i].axes >> a & 1) r += (r.size() > 1 ? " " : "") + detail::axis_text(g_, a) + "=" + std::to_string(x[index(a)]);
    return r + "]";
  }

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
  // Visits the positions of the axes of s within the ranges; the other coordinates of x stay.
  template <class R, class F> void each(axis_set s, point& x, R const& ranges, F&& f, int from = 0) const {
    int a = from;
    while (a < g_.naxes && !(s >> a & 1)) ++a;
    if (a >= g_.naxes) return f();
    int const was = x[index(a)];
    for (x[index(a)] = ranges.first[index(a)]; x[index(a)] < ranges.second[index(a)]; ++x[index(a)]) each(s, x, ranges, f, a + 1);
    x[index(a)] = was;
  }

  void fill_table(leaf const& l) {
    if (l.role != leaf_role::child && l.role != leaf_role::root) return;
    tree_function const& f = g_.trees[l.of];
    int leaves = -1;
    for (int a = 0; a < g_.naxes; ++a) if (g_.axes[a].tree == l.of) leaves = n_[index(g_.axes[a].from)];
    std::int64_t const merges = f.merges(leaves);
    auto const m = static_cast<std::size_t>(merges);
    std::vector<std::int32_t> child(m * index(f.arity)), root(index(leaves)), time(m), level(m);
    f.fill(leaves, stream_ >= 0, child.data(), root.data(), time.data(), level.data());
    auto const first = child.begin() + static_cast<std::ptrdiff_t>(m) * l.which;
    table_[index(l.node)] = l.role == leaf_role::root ? root : std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(m));
    time_ = stream_ >= 0 ? time : level;
  }
  // A streamed chunk that the sequence ends within: its per-chunk values are not made, nor are positions past the end.
  bool is_never_complete(int i, point const& x) const {
    if (stream_ < 0) return false;
    for (part const& s : parts()) {
      if (!(g_[i].axes >> s.outer & 1)) continue;
      int const w = n_[index(s.inner)], c = x[index(s.outer)], within = waits_[index(i)] || !(g_[i].axes >> s.inner & 1) ? w - 1 : x[index(s.inner)];
      if (c * w + within >= n_[index(s.axis)]) return true;
    }
    return false;
  }
  std::vector<part> parts() const {
    std::vector<part> r;
    axis_set moving = bit_of(stream_);
    for (int round = 0; round < g_.naxes; ++round)
      for (int i = 0; i < g_.size; ++i) {
        node const& x = g_[i];
        if ((x.kind != op::split && x.kind != op::merge) || !(moving >> x.axis & 1) || (moving >> x.aux & 1 && moving >> x.inner & 1)) continue;
        r.push_back({x.axis, x.aux, x.inner});
        moving |= bit_of(x.aux) | bit_of(x.inner);
      }
    return r;
  }

  void need(int reader, point const& r, int i, point const& x) {
    for (int a = 0; a < g_.naxes; ++a) if ((g_[i].axes >> a & 1) && (x[index(a)] < 0 || x[index(a)] >= n_[index(a)])) return;
    if (!made_[index(i)][offset(i, x)]) fail(name(reader) + at(reader, r) + " reads " + name(i) + at(i, x) + " before it is made");
  }
  // Operand i read at x, and over all positions of `whole` and of what the reader lacks.
  void need_all(int reader, point const& r, int i, point x, axis_set whole) {
    each(g_[i].axes & (whole | ~g_[reader].axes) & ~pair_bit, x, all(), [&] { need(reader, r, i, x); });
  }
  // What a score reads, at the query x and the key y.
  void need_pair(int reader, point const& r, int pair, point const& x, point const& y) {
    node const& e = g_[pair];
    if (!(e.axes & pair_bit)) return need_all(reader, r, pair, x, 0);
    for (int k = 0; k < e.nargs; ++k) {
      if (e.kind == op::at_key) need_all(reader, r, e.arg[k], y, 0);
      else if (e.arg[k] >= 0) need_pair(reader, r, e.arg[k], x, y);
    }
  }
  void need_fold(int i, point const& x) {
    node const& e = g_[i];
    axis_set const d = bit_of(e.aux);
    bool const key_side = e.kind == op::attend_dk || e.kind == op::attend_dv || e.kind == op::attend_dscore_key;
    int sign = 0;
    for (int k = 0; k < e.nargs; ++k) {
      if (e.arg[k] < 0) continue;
      if (e.far[k]) sign = e.far[k];
      else if (!(g_[e.arg[k]].axes & pair_bit)) need_all(i, x, e.arg[k], x, d);
    }
    if (!sign) return;
    int const t = x[index(e.axis)];
    for (int s = sign > 0 ? 0 : t + 1; s < (sign > 0 ? t : n_[index(e.axis)]); ++s) {
      point y = x;
      y[index(e.axis)] = s;
      for (int k = 0; k < e.nargs; ++k) {
        if (e.arg[k] < 0) continue;
        if (e.far[k]) need_all(i, x, e.arg[k], y, d);
        else if (g_[e.arg[k]].axes & pair_bit) need_pair(i, x, e.arg[k], key_side ? y : x, key_side ? x : y);
      }
    }
  }
  void need_operands(int i, point const& x) {
    node const& e = g_[i];
    int const a = e.axis, t = a >= 0 ? x[index(a)] : 0;
    point y = x;
    switch (e.kind) {
      case op::window:
        y[index(e.aux)] = t + static_cast<int>(e.value) + (e.inner >= 0 ? e.slot * n_[index(e.inner)] : 0);
        return need(i, x, e.arg[0], y);
      case op::pick:
        if (n_[index(a)] == 0) { if (e.nargs > 1) need_all(i, x, e.arg[1], x, 0); return; }
        y[index(a)] = static_cast<int>(e.value) + (e.value < 0 ? n_[index(a)] : 0);
        return need(i, x, e.arg[0], y);
      case op::place:
        if (t == static_cast<int>(e.value) + (e.value < 0 ? n_[index(a)] : 0)) need(i, x, e.arg[0], y);
        return;
      case op::split:
        y[index(a)] = x[index(e.aux)] * n_[index(e.inner)] + x[index(e.inner)];
        return need(i, x, e.arg[0], y);
      case op::merge:
        y[index(e.aux)] = t / n_[index(e.inner)];
        y[index(e.inner)] = t % n_[index(e.inner)];
        return need(i, x, e.arg[0], y);
      case op::prev: case op::shift:
        y[index(a)] = t - static_cast<int>(e.value) * e.far[0];
        if (y[index(a)] >= 0) need(i, x, e.arg[0], y);
        else if (e.nargs > 1) need_all(i, x, e.arg[1], x, 0);
        return;
      case op::take: {
        int const j = table_[index(e.arg[2])].at(offset(e.arg[2], x));
        y[index(j >= 0 ? e.axis : e.aux)] = j >= 0 ? j : ~j;
        return need(i, x, e.arg[j >= 0 ? 0 : 1], y);
      }
      case op::put: case op::put_leaf:
        return each(g_[e.arg[1]].axes, y, all(), [&] {
          int const j = table_[index(e.arg[1])].at(offset(e.arg[1], y));
          if (e.kind == op::put ? j == x[index(e.axis)] : ~j == x[index(e.aux)]) need(i, x, e.arg[0], y);
        });
      case op::gather: need_all(i, x, e.arg[1], x, 0); return need_all(i, x, e.arg[0], x, bit_of(a));
      case op::scatter: need_all(i, x, e.arg[1], x, bit_of(a)); return need_all(i, x, e.arg[0], x, bit_of(a));
      case op::softmax: case op::rotate_half: return need_all(i, x, e.arg[0], x, bit_of(a));
      case op::attend: case op::attend_lse: case op::attend_dq: case op::attend_dk: case op::attend_dv:
      case op::attend_dscore_query: case op::attend_dscore_key: return need_fold(i, x);
      default:
        for (int k = 0; k < e.nargs; ++k) need_all(i, x, e.arg[k], x, 0);
    }
  }

  void make(stmt const& s) {
    int const i = s.id;
    auto ranges = current();
    if (s.guard == stmt::chunk_end)   // then at all positions of the chunk
      for (part const& q : parts()) if (g_[i].axes >> q.outer & 1) { ranges.first[index(q.inner)] = 0; ranges.second[index(q.inner)] = n_[index(q.inner)]; }
    point x{};
    each(g_[i].axes, x, ranges, [&] {
      need_operands(i, x);
      char& m = made_[index(i)][offset(i, x)];
      if (m && stream_ < 0) fail(name(i) + at(i, x) + " is made twice");
      m = 1;
    });
  }
  bool is_due(stmt const& s) const {
    if (s.guard == stmt::always) return true;
    for (part const& q : parts())
      if ((g_[s.id].axes >> q.outer & 1) && low_[index(q.inner)] != (s.guard == stmt::chunk_begin ? 0 : n_[index(q.inner)] - 1)) return false;
    return true;
  }
  // Tiles fold in rows beyond the current one, so what the waiting side reads must be there for all rows.
  void need_waiting_side(stmt const& s, int axis) {
    node const& e = g_[s.id];
    if (e.axis != axis) return;
    bool const key_side = e.kind != op::attend;
    auto ranges = current();
    ranges.first[index(axis)] = 0;
    ranges.second[index(axis)] = n_[index(axis)];
    point x{};
    each(e.axes, x, ranges, [&] {
      need_all(s.id, x, e.arg[0], x, bit_of(e.aux));
      if (key_side) need_all(s.id, x, e.arg[1], x, bit_of(e.aux));
      for (int k = 0; k < e.nargs; ++k)
        if (e.arg[k] >= 0 && (g_[e.arg[k]].axes & pair_bit)) need_near_side_of_pair(s.id, x, e.arg[k], key_side);
    });
  }
  void need_near_side_of_pair(int reader, point const& x, int pair, bool key_side) {
    node const& e = g_[pair];
    for (int k = 0; k < e.nargs; ++k) {
      if (e.arg[k] < 0) continue;
      if (g_[e.arg[k]].axes & pair_bit) need_near_side_of_pair(reader, x, e.arg[k], key_side);
      else if ((e.kind == op::at_key) == key_side) need_all(reader, x, e.arg[k], x, 0);
    }
  }

  void run(int first, int last) {
    for (int k = first; k < last && error_.empty(); ++k) {
      stmt const& s = p_[k];
      if (s.kind == stmt::run) { if (is_due(s)) make(s); continue; }
      if (s.kind != stmt::begin || s.other <= k || p_[s.other].other != k || p_[s.other].id != s.id) return fail("loops do not nest");
      if (s.tiled) for (int q = k + 1; q < s.other; ++q) if (p_[q].kind == stmt::run && p_[q].tiled) need_waiting_side(p_[q], s.id);
      loop(s, k + 1, s.other);
      k = s.other;
    }
  }
  void loop(stmt const& s, int first, int last) {
    int const a = s.id, low = low_[index(a)], high = high_[index(a)];
    auto const was = current();
    std::vector<std::pair<int, int>> steps;
    if (s.levelled && stream_ < 0 && !time_.empty()) {
      for (int t = low; t < high;) {
        int e = t;
        while (e < high && time_[index(e)] == time_[index(t)]) ++e;
        steps.push_back({t, e});
        t = e;
      }
    } else {
      for (int t = low; t < high; ++t) steps.push_back({t, t + 1});
    }
    if (s.dir < 0) steps = {steps.rbegin(), steps.rend()};
    for (auto const& step : steps) {
      low_[index(a)] = step.first;
      high_[index(a)] = step.second;
      if (s.streamed) advance(a, step.first);
      run(first, last);
    }
    low_ = was.first;
    high_ = was.second;
  }
  void advance(int stream, int t) {
    for (part const& q : parts()) {
      int const from = low_[index(q.axis)], w = n_[index(q.inner)];
      low_[index(q.outer)] = from / w; high_[index(q.outer)] = from / w + 1;
      low_[index(q.inner)] = from % w; high_[index(q.inner)] = from % w + 1;
    }
    for (int a = 0; a < g_.naxes; ++a) {
      if (g_.axes[a].role != axis_role::merges || g_.axes[a].from != stream) continue;
      int b = 0;
      while (b < n_[index(a)] && time_[index(b)] < t) ++b;
      int e = b;
      while (e < n_[index(a)] && time_[index(e)] == t) ++e;
      low_[index(a)] = b; high_[index(a)] = e;
    }
  }
};

/// "" if every read of the plan finds its value made, else the first violation.
inline std::string violation(graph_view g, plan_view p, extents const& bound) { return plan_checker(g, p, bound).check(); }

}  // namespace test
