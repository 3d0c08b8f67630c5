// Executes a plan on points instead of numbers: every value that a statement reads must have been made before, and none is made twice.
// Shares nothing with the arranger but the graph. Folds in tiled loops count as complete at their own statement; what tiles need in
// advance is checked where the loop begins.
#pragma once
#include <algorithm>
#include <string>

#include "dyadic/plan/print.hpp"
#include "support/point_reads.hpp"

namespace test {

class plan_checker {
 public:
  plan_checker(graph_view g, plan_view p, extents const& bound)
      : g_(g),
        p_(p),
        stream_(streamed_axis(p)),
        reads_(g, bound, stream_ >= 0),
        made_(static_cast<std::size_t>(g.size)),
        waits_(made_.size()) {
    now_ = reads_.all();
    for (int k = 0; k < p.size; ++k) if (p[k].kind == stmt::run) waits_[index(p[k].id)] = p[k].guard == stmt::chunk_end;
    for (int i = 0; i < g.size; ++i) made_[index(i)].assign(reads_.points_of(g[i].axes), g[i].kind == op::input || g[i].kind == op::param);
    if (stream_ >= 0) find_parts();
  }

  /// The first violation, or an empty text.
  std::string check() {
    if (p_.stuck >= 0) return "stuck at " + name(p_.stuck);
    run(0, p_.size);
    for (int i = 0; i < g_.size && error_.empty(); ++i) {
      if (g_[i].axes & pair_bit) continue;
      point x{};
      reads_.each(g_[i].axes, x, reads_.all(), [&] {
        if (!made_[index(i)][reads_.offset(i, x)] && !is_never_complete(i, x)) fail(name(i) + at(i, x) + " is never made");
      });
    }
    return error_;
  }

 private:
  struct part { int axis, outer, inner; };

  graph_view g_;
  plan_view p_;
  int stream_;
  point_reads reads_;
  std::vector<std::vector<char>> made_;   // by node and point
  std::vector<char> waits_;               // by node: computed when its chunk ends
  std::vector<part> parts_;               // of the streamed axis
  ranges now_;                            // positions of the loops around
  std::string error_;

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static int streamed_axis(plan_view p) {
    for (int k = 0; k < p.size; ++k) if (p[k].kind == stmt::begin && p[k].streamed) return p[k].id;
    return -1;
  }
  void fail(std::string const& text) { if (error_.empty()) error_ = text; }
  std::string name(int i) const { return std::string(op_name(g_[i].kind)) + "." + std::to_string(i); }
  std::string at(int i, point const& x) const {
    std::string r = "[";
    for (int a = 0; a < g_.naxes; ++a)
      if (g_[i].axes >> a & 1) r += (r.size() > 1 ? " " : "") + detail::axis_text(g_, a) + "=" + std::to_string(x[index(a)]);
    return r + "]";
  }

  void find_parts() {
    axis_set moving = bit_of(stream_);
    for (int round = 0; round < g_.naxes; ++round)
      for (int i = 0; i < g_.size; ++i) {
        node const& x = g_[i];
        if ((x.kind != op::split && x.kind != op::merge) || !(moving >> x.axis & 1) || (moving >> x.aux & 1 && moving >> x.inner & 1))
          continue;
        parts_.push_back({x.axis, x.aux, x.inner});
        moving |= bit_of(x.aux) | bit_of(x.inner);
      }
  }
  // A streamed chunk that the sequence ends within: its per-chunk values are not made, nor are positions past the end.
  bool is_never_complete(int i, point const& x) const {
    for (part const& s : parts_) {
      if (!(g_[i].axes >> s.outer & 1)) continue;
      int const w = reads_.extent(s.inner), within = waits_[index(i)] || !(g_[i].axes >> s.inner & 1) ? w - 1 : x[index(s.inner)];
      if (x[index(s.outer)] * w + within >= reads_.extent(s.axis)) return true;
    }
    return false;
  }

  void need(int reader, point const& r, int i, point const& x) {
    if (!made_[index(i)][reads_.offset(i, x)]) fail(name(reader) + at(reader, r) + " reads " + name(i) + at(i, x) + " before it is made");
  }
  void make(stmt const& s) {
    int const i = s.id;
    ranges r = now_;
    if (s.guard == stmt::chunk_end)   // then at all positions of the chunk
      for (part const& q : parts_)
        if (g_[i].axes >> q.outer & 1) {
          r.first[index(q.inner)] = 0;
          r.second[index(q.inner)] = reads_.extent(q.inner);
        }
    point x{};
    reads_.each(g_[i].axes, x, r, [&] {
      reads_.of(i, x, [&](int a, point const& y) { need(i, x, a, y); });
      char& m = made_[index(i)][reads_.offset(i, x)];
      if (m && stream_ < 0) fail(name(i) + at(i, x) + " is made twice");
      m = 1;
    });
  }
  bool is_due(stmt const& s) const {
    if (s.guard == stmt::always) return true;
    for (part const& q : parts_)
      if ((g_[s.id].axes >> q.outer & 1) && now_.first[index(q.inner)] != (s.guard == stmt::chunk_begin ? 0 : reads_.extent(q.inner) - 1))
        return false;
    return true;
  }
  // Tiles fold in rows beyond the current one, so what the waiting side reads must be there for all rows.
  void need_waiting_side(stmt const& s, int axis) {
    if (g_[s.id].axis != axis) return;
    ranges r = now_;
    r.first[index(axis)] = 0;
    r.second[index(axis)] = reads_.extent(axis);
    point x{};
    reads_.each(g_[s.id].axes, x, r, [&] { reads_.of_waiting_side(s.id, x, [&](int a, point const& y) { need(s.id, x, a, y); }); });
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
    int const a = s.id, low = now_.first[index(a)], high = now_.second[index(a)];
    ranges const was = now_;
    std::vector<std::pair<int, int>> steps;
    for (int t = low; t < high; t = steps.back().second) {
      int e = t + 1;
      if (s.levelled && stream_ < 0 && !reads_.times().empty())
        while (e < high && reads_.times()[index(e)] == reads_.times()[index(t)]) ++e;
      steps.push_back({t, e});
    }
    if (s.dir < 0) steps = {steps.rbegin(), steps.rend()};
    for (auto const& step : steps) {
      now_.first[index(a)] = step.first;
      now_.second[index(a)] = step.second;
      if (s.streamed) advance(step.first);
      run(first, last);
    }
    now_ = was;
  }
  // The parts of the streamed axis, and the merges of trees over it, move with its position t.
  void advance(int t) {
    for (part const& q : parts_) {
      int const from = now_.first[index(q.axis)], w = reads_.extent(q.inner);
      now_.first[index(q.outer)] = from / w; now_.second[index(q.outer)] = from / w + 1;
      now_.first[index(q.inner)] = from % w; now_.second[index(q.inner)] = from % w + 1;
    }
    auto const& time = reads_.times();
    for (int a = 0; a < g_.naxes; ++a) {
      if (g_.axes[a].role != axis_role::merges || g_.axes[a].from != stream_) continue;
      auto const first = std::lower_bound(time.begin(), time.end(), t), last = std::upper_bound(time.begin(), time.end(), t);
      now_.first[index(a)] = static_cast<int>(first - time.begin());
      now_.second[index(a)] = static_cast<int>(last - time.begin());
    }
  }
};

/// "" if every read of the plan finds its value made, else the first violation.
inline std::string violation(graph_view g, plan_view p, extents const& bound) { return plan_checker(g, p, bound).check(); }

}  // namespace test
