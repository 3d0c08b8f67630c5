// The judge of memory plans. Executes a plan on names instead of numbers: every element written is the name of (node, position), and every
// element an op's definition reads must still bear the name it should. Knows nothing of lifetimes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dyadic/expr/op_table.hpp"
#include "dyadic/plan/plan.hpp"
#include "dyadic/plan/storage.hpp"

namespace dyadic::testing {

class tag_machine {
 public:
  std::string error;               ///< the first wrong element read
  long checked = 0;

  tag_machine(graph_view graph, plan_view plan, memory_plan const& m, extents const& e)
      : g_(graph), p_(plan), m_(m), e_(e), arena_(static_cast<std::size_t>(m.arena)), state_(static_cast<std::size_t>(m.state)) {
    for (auto& f : fixed_) f = -1;
  }
  bool run() {
    sequence(0, p_.size);
    for (int k = 0; k < g_.noutputs; ++k)
      if (g_.outputs[k].node >= 0) {
        where x;
        int const i = g_.outputs[k].node;
        each(g_[i].axes, x, true, [&] { expect(i, x, i); });
      }
    return error.empty();
  }

 private:
  struct where { std::int64_t of[max_axes]{}; };
  enum part : std::uint64_t { value = 0, sums = 1, statistics = 2 };
  graph_view g_;
  plan_view p_;
  memory_plan const& m_;
  extents e_;
  std::vector<std::uint64_t> arena_, state_;
  std::int64_t fixed_[max_axes];
  std::vector<int> tiles_;         // folds that take tiles in the loops that are open

  static bool stored_nowhere(op o) { return o == op::input || o == op::param || o == op::constant || o == op::iota || o == op::extent; }
  std::uint64_t name(int i, where const& x, part what, axis_set axes) const {
    std::uint64_t h = 1469598103934665603u + static_cast<std::uint64_t>(i) * 4 + what;
    for (int a = 0; a < g_.naxes; ++a)
      if (axes >> a & 1) h = (h ^ static_cast<std::uint64_t>(x.of[a] + 1)) * 1099511628211u + static_cast<std::uint64_t>(a);
    return h | 1;
  }
  std::int64_t index(axis_set stored, where const& x) const {
    std::int64_t stride[max_axes], k = 0;
    strides(g_, e_, stored, stride);
    for (int a = 0; a < g_.naxes; ++a) if (stored >> a & 1) k += x.of[a] * stride[a];
    return k;
  }
  std::uint64_t& element(int i, where const& x, part what) {
    storage const& s = m_.of[i];
    if (what == statistics) return arena_.at(static_cast<std::size_t>(s.state_offset + index(s.stored & ~bit_of(g_[i].aux), x)));
    auto& from = s.region == storage::state ? state_ : arena_;
    return from.at(static_cast<std::size_t>(s.offset + index(s.stored, x)));
  }
  axis_set named(int i, part in) const { return in == statistics ? g_[i].axes & ~bit_of(g_[i].aux) : g_[i].axes; }
  void put(int i, where const& x, part name_of, part to) { element(i, x, to) = name(i, x, name_of, named(i, to)); }
  void expect(int i, where const& x, int reader, part name_of = value, part from = value) {
    if (i < 0 || !error.empty() || stored_nowhere(g_[i].kind)) return;
    ++checked;
    if (element(i, x, from) == name(i, x, name_of, named(i, from))) return;
    auto const called = [&](int n) { return std::string(op_name(g_[n].kind)) + " " + std::to_string(n); };
    error = called(reader) + " reads " + called(i) + " at";
    for (int a = 0; a < g_.naxes; ++a)
      if (g_[i].axes >> a & 1)
        error += " " + std::string(g_.axes[a].name, static_cast<std::size_t>(g_.axes[a].name_size)) + "=" + std::to_string(x.of[a]);
  }
  /// f at all positions of s; `whole`: regardless of the loops that are open.
  template <class F> void each(axis_set s, where& x, bool whole, F const& f, int a = 0) {
    while (a < g_.naxes && !(s >> a & 1)) ++a;
    if (a >= g_.naxes) return f();
    bool const one = !whole && fixed_[a] >= 0;
    for (std::int64_t k = one ? fixed_[a] : 0; k < (one ? fixed_[a] + 1 : e_.of[a]); ++k) {
      x.of[a] = k;
      each(s, x, whole, f, a + 1);
    }
  }
  axis_set shape(int i) const { return i < 0 ? 0 : g_[i].axes & ~pair_bit; }

  // What a fold's score reads for query t and key k.
  void score(int fold, int root, where const& t, where const& k) {
    node const& x = g_[root];
    if (!(x.axes & pair_bit)) return;
    for (int j = 0; j < x.nargs; ++j) {
      int const a = x.arg[j];
      if (a < 0) continue;
      if (g_[a].axes & pair_bit) score(fold, a, t, k);
      else expect(a, x.kind == op::at_key ? k : t, fold);
    }
  }
  // All that fold i reads for its own position x and the far position `at`.
  void pair(int i, where x, std::int64_t at) {
    node const& n = g_[i];
    bool const by_key = n.kind == op::attend_dk || n.kind == op::attend_dv || n.kind == op::attend_dscore_key;
    bool const forward = n.kind == op::attend;
    axis_set all = 0;
    for (int k = 0; k < n.nargs; ++k) all |= shape(n.arg[k]);
    where y = x;
    each((all & ~n.axes) | bit_of(n.aux), y, true, [&] {
      where near = y, far = y;
      near.of[n.axis] = x.of[n.axis];
      far.of[n.axis] = at;
      for (int k = 0; k < n.nargs; ++k) {
        if (n.arg[k] < 0 || (forward && (k == 1 || k == 2))) continue;
        if (g_[n.arg[k]].axes & pair_bit) score(i, n.arg[k], by_key ? far : near, by_key ? near : far);
        else expect(n.arg[k], n.far[k] ? far : near, i);
      }
    });
  }
  int direction(int i) const { for (int k = 0; k < g_[i].nargs; ++k) if (g_[i].far[k]) return g_[i].far[k]; return 1; }

  void fold(int i, bool in_tiles) {
    node const& n = g_[i];
    where x;
    each(n.axes, x, false, [&] {
      if (in_tiles) {
        expect(i, x, i, sums, value);
        if (n.kind == op::attend) expect(i, x, i, sums, statistics);
      } else {
        std::int64_t const t = x.of[n.axis];
        for (std::int64_t s = direction(i) > 0 ? 0 : t + 1; s < (direction(i) > 0 ? t : e_.of[n.axis]); ++s) pair(i, x, s);
      }
      if (n.kind == op::attend) for (int k = 1; k < 3; ++k) expect(n.arg[k], x, i);
    });
    each(n.axes, x, false, [&] {
      put(i, x, value, value);
      if (n.kind == op::attend) put(i, x, value, statistics);
    });
  }
  void read_whole(int i, int k, where const& at, axis_set along) {
    where y = at;
    each(shape(g_[i].arg[k]) & along, y, true, [&] { expect(g_[i].arg[k], y, i); });
  }
  void evaluate(int i) {
    node const& n = g_[i];
    if (stored_nowhere(n.kind)) return;
    op_class const c = traits(n.kind).kind;
    where x;
    each(n.axes, x, false, [&] {
      for (int k = 0; k < n.nargs; ++k) {
        int const a = n.arg[k];
        if (a < 0) continue;
        axis_set along = shape(a) & ~n.axes;
        if (n.kind == op::attend_lse) { where y = x; y.of[n.aux] = 0; expect(a, y, i, value, statistics); continue; }
        if (n.kind == op::prev || n.kind == op::shift) {
          where y = x;
          if (k == 0) y.of[n.axis] -= n.far[0] * static_cast<std::int64_t>(n.value);
          bool const there = y.of[n.axis] >= 0 && y.of[n.axis] < e_.of[n.axis];
          if (k == 0 ? there : x.of[n.axis] < static_cast<std::int64_t>(n.value)) expect(a, y, i);
          continue;
        }
        if ((c == op_class::row || c == op_class::indexed) && n.axis >= 0 && !(c == op_class::indexed && k > 0)) along |= bit_of(n.axis);
        if (c == op_class::view && n.kind != op::keep) for (int z : {int{n.axis}, int{n.aux}, int{n.inner}}) if (z >= 0) along |= bit_of(z);
        if (n.kind == op::window && n.axis >= 0) along &= ~(n.axis == n.aux ? axis_set{0} : bit_of(n.axis));
        read_whole(i, k, x, along);
      }
    });
    each(n.axes, x, false, [&] { put(i, x, value, value); });
  }
  void tile(int i, std::int64_t b, int dir) {
    node const& n = g_[i];
    std::int64_t const u = b & -b, hi = b + u < e_.of[n.axis] ? b + u : e_.of[n.axis];
    where x;
    each(n.axes & ~bit_of(n.axis), x, false, [&] {
      for (std::int64_t r = dir > 0 ? b : b - u; r < (dir > 0 ? hi : b); ++r) {
        x.of[n.axis] = r;
        expect(i, x, i, sums, value);
        if (n.kind == op::attend) expect(i, x, i, sums, statistics);
        for (std::int64_t s = dir > 0 ? b - u : b; s < (dir > 0 ? b : hi); ++s) pair(i, x, s);
      }
    });
  }
  void sequence(int s, int end) {
    for (; s < end && error.empty(); ++s) {
      stmt const& st = p_[s];
      if (st.kind == stmt::run) {
        bool const is_fold = traits(g_[st.id].kind).kind == op_class::fold && g_[st.id].kind != op::attend_lse;
        if (is_fold) fold(st.id, st.tiled);
        else evaluate(st.id);
        continue;
      }
      std::vector<int> mine;
      if (st.tiled)
        for (int q = s + 1; q < st.other; ++q)
          if (p_[q].kind == stmt::run && p_[q].tiled && g_[p_[q].id].axis == st.id) mine.push_back(p_[q].id);
      for (int i : mine) {
        where x;
        each(g_[i].axes, x, false, [&] { put(i, x, sums, value); if (g_[i].kind == op::attend) put(i, x, sums, statistics); });
      }
      std::int64_t const n = e_.of[st.id];
      for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t const t = st.dir > 0 ? k : n - 1 - k;
        fixed_[st.id] = t;
        sequence(s + 1, st.other);
        fixed_[st.id] = -1;
        std::int64_t const b = st.dir > 0 ? t + 1 : t;
        if (b > 0 && b < n) for (int i : mine) tile(i, b, st.dir);
      }
      s = st.other;
    }
  }
};

}  // namespace dyadic::testing
