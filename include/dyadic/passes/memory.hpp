// Where every value lives. Three decisions: which axes of a value are contracted (a loop overwrites one position's room), how long it is
// alive, and where it lies in the arena. With a streamed axis, what a later run will read becomes state.
#pragma once
#include "dyadic/passes/known_values.hpp"
#include "dyadic/passes/packing.hpp"
#include "dyadic/passes/reads.hpp"
#include "dyadic/passes/signature.hpp"
#include "dyadic/plan/storage.hpp"

namespace dyadic {

namespace detail {

class memory_planner {
 public:
  constexpr memory_planner(graph_view graph, plan_view plan, extents const& e, memory_request const& q)
      : g_(graph), p_(plan), e_(e), q_(q), nest_(graph, plan), uses_(graph.size), items_(2 * graph.size), owner_(2 * graph.size),
        first_(plan.size), last_(plan.size), readers_(graph, plan) {}

  constexpr memory_plan run() {
    memory_plan m;
    m.stream = q_.stream;
    m.window = q_.window;
    m.of.reserve(g_.size);
    for (int i = 0; i < g_.size; ++i) m.of.push({});
    find_parts();
    find_groups();
    collect();
    for (int i = 0; i < g_.size; ++i) decide(i, m);
    m.live_peak = live_peak(items_.p, count_);
    m.arena = q_.attempts > 0 ? pack_intervals(items_.p, count_, q_.attempts) : m.live_peak;
    for (int k = 0; k < count_; ++k) {
      storage& s = m.of.p[owner_.p[k] >> 1];
      (owner_.p[k] & 1 ? s.state_offset : s.offset) = items_.p[k].offset;
      if (!(owner_.p[k] & 1)) s.since = items_.p[k].start;
    }
    return m;
  }

 private:
  struct use {
    axis_set away = 0;         // axes along which some reader looks at other positions, in whatever way
    axis_set history = 0;      // of them, those that reach beyond the rows of one run
    int first = -1, last = -1; // statements of the readers
    int last_state = -1;       // of an attend: the last statement that needs its (m, l)
    std::int32_t back = 0;     // how many positions back the shifts among the readers look
    bool only_shifts = true;   // every reader that looks away is a prev or shift
    bool output = false, outlives_guard = false;
  };
  graph_view g_;
  plan_view p_;
  extents const& e_;
  memory_request q_;
  nesting nest_;
  scratch<use> uses_;
  scratch<interval> items_;
  scratch<int> owner_;         // node * 2, + 1 for an attend's (m, l)
  scratch<int> first_, last_;  // of a statement's group; the statement itself where it is in none
  group_readers readers_;
  int count_ = 0;
  axis_set parts_ = 0;         // the streamed axis and what it is split into
  axis_set outer_ = 0;         // the outer parts
  axis_set merges_ = 0;        // of trees over it
  int streamed_ = -1;          // the loop that streams, or -1

  // Engines read these from the node.
  static constexpr bool is_number(op o) { return o == op::constant || o == op::iota || o == op::extent; }

  constexpr void find_parts() {
    if (q_.stream < 0) return;
    parts_ = bit_of(q_.stream);
    for (int i = 0; i < g_.size; ++i) {
      node const& x = g_.nodes[i];
      if (x.kind == op::split && x.axis == q_.stream) { parts_ |= bit_of(x.aux) | bit_of(x.inner); outer_ |= bit_of(x.aux); }
      if (x.kind == op::take && x.aux == q_.stream) merges_ |= bit_of(x.axis);
    }
    for (int s = 0; s < p_.size && streamed_ < 0; ++s)
      if (p_.s[s].kind == stmt::begin && p_.s[s].id == q_.stream && nest_.up.p[s] < 0) streamed_ = s;
  }
  // A group's kernel reads and writes in an order of its own: what it touches is alive from its first statement to its last.
  constexpr void find_groups() {
    for (int s = 0; s < p_.size; ++s) first_.p[s] = last_.p[s] = s;
    each_group(p_, [&](int first, int end) {
      for (int s = first; s < end; ++s) { first_.p[s] = first; last_.p[s] = end - 1; }
    });
  }
  constexpr bool streaming(int s) const { return streamed_ >= 0 && s >= 0 && nest_.inside(s, streamed_); }

  constexpr void collect() {
    value_reads const all(g_, nest_);
    for (int k = 0; k < all.list.size; ++k) {
      value_read const& r = all.list.p[k];
      node const& x = g_.nodes[r.reader];
      use& u = uses_.p[r.value];
      int const at = nest_.at.p[r.value];
      axis_set history = r.history;
      // A streamed loop moves along an axis and its parts together: a split or merge of them reads the current position.
      if ((x.kind == op::split || x.kind == op::merge) && x.axis == q_.stream && streaming(at) && streaming(r.stmt)) history &= ~parts_;
      int const to = nest_.at.p[r.reader];   // at a chunk's end all its positions are read
      if (to >= 0 && p_.s[to].guard == stmt::chunk_end) history |= g_.nodes[r.value].axes & x.axes & parts_ & ~outer_;
      u.away |= history | r.tile;
      u.history |= history;
      if (history & (parts_ | merges_)) {
        bool const shift = (x.kind == op::prev || x.kind == op::shift) && r.operand == 0 && x.axis == q_.stream &&
                           history == bit_of(q_.stream);
        if (!shift) u.only_shifts = false;
        else if (static_cast<std::int32_t>(x.value) > u.back) u.back = static_cast<std::int32_t>(x.value);
      }
      if (r.stmt >= 0 && (u.first < 0 || r.stmt < u.first)) u.first = r.stmt;
      if (r.stmt >= 0 && last_.p[r.stmt] > u.last) u.last = last_.p[r.stmt];
      bool const needs_state = x.kind == op::attend_lse || r.reader == r.value;
      if (needs_state && r.stmt > u.last_state) u.last_state = r.stmt;
      int const by = nest_.at.p[r.reader];
      if (at >= 0 && by >= 0 && p_.s[at].guard != stmt::always && p_.s[by].guard != p_.s[at].guard) u.outlives_guard = true;
    }
    for (int i = 0; i < g_.noutputs; ++i) if (g_.outputs[i].node >= 0) uses_.p[g_.outputs[i].node].output = true;
  }

  // The loops around node i, from the outermost in: is one position enough? Not below a loop whose other positions are read, nor in
  // one that takes several positions at a time.
  constexpr axis_set contracted(int i, int innermost) const {
    use const& u = uses_.p[i];
    axis_set r = 0;
    bool blocked = false;
    int loops[max_axes]{}, n = 0;
    for (int l = innermost; l >= 0 && n < max_axes; l = nest_.up.p[l]) loops[n++] = l;
    axis_set kept = u.away;
    if (u.output) kept |= ~(q_.window == 0 && streamed_ >= 0 ? parts_ : axis_set{0});
    while (n-- > 0) {
      int const l = loops[n];
      bool const outlived = u.first >= 0 && (!nest_.inside(u.first, l) || !nest_.inside(u.last, l));
      axis_set const moving = l == streamed_ ? parts_ : bit_of(p_.s[l].id);
      if (!blocked && !outlived && !p_.s[l].levelled) r |= moving & ~kept;
      if (outlived || (kept & moving)) blocked = true;
    }
    return r & g_.nodes[i].axes;
  }

  // Alive: all of the outermost loop in which positions accumulate, or from the value's own statement; to the end of the outermost loop
  // beside it that holds the last reader.
  constexpr interval lifetime(int i, axis_set stored, int last) const {
    use const& u = uses_.p[i];
    int const at = nest_.at.p[i];
    if (at < 0) return {0, p_.size, 0, 0};
    int gathers = -1;
    for (int l = nest_.up.p[at]; l >= 0; l = nest_.up.p[l]) {
      bool const outlived = u.output || (u.first >= 0 && (!nest_.inside(u.first, l) || !nest_.inside(u.last, l)));
      axis_set const moving = l == streamed_ ? parts_ : bit_of(p_.s[l].id);
      if (outlived || (stored & moving)) gathers = l;
    }
    int const start = gathers >= 0 ? gathers : first_.p[at];
    int end = gathers >= 0 ? p_.s[gathers].other : last_.p[at];
    if (last >= 0) {
      int const z = nest_.last_of(last, nest_.up.p[start]);
      if (z > end) end = z;
    }
    return {start, u.output ? p_.size : end, 0, 0};
  }

  static constexpr std::int64_t rounded(std::int64_t n) { return (n + storage_alignment - 1) / storage_alignment * storage_alignment; }

  constexpr void decide(int i, memory_plan& m) {
    node const& x = g_.nodes[i];
    storage& s = m.of.p[i];
    if ((x.axes & pair_bit) || is_number(x.kind)) return;
    if (x.kind == op::input || x.kind == op::param) {
      s.region = storage::leaf;
      s.stored = x.axes;
      s.size = points(e_, x.axes);
      return;
    }
    use const& u = uses_.p[i];
    int const at = nest_.at.p[i];
    if (readers_.inner(i)) return;   // its group's kernel holds it
    axis_set const one = contracted(i, at < 0 ? -1 : nest_.up.p[at]);
    extents e = e_;
    if (u.history & (parts_ | merges_) || u.outlives_guard) {
      s.region = storage::state;
      s.stored = x.axes & ~(one & parts_);
      // Written and read position by position, or a window's rows in one statement?
      int const loop = nest_.loop_over(q_.stream, at);
      bool const stepwise = loop >= 0 && u.first >= 0 && nest_.inside(u.first, loop) && nest_.inside(u.last, loop);
      std::int64_t const rows = u.back + (q_.window > 1 && !stepwise ? q_.window : 1);
      bool const along = (x.axes & bit_of(q_.stream)) && (u.history & (parts_ | merges_)) == bit_of(q_.stream);
      if (u.only_shifts && along && rows < e.of[q_.stream] && rows < 32768) {
        s.ring = static_cast<std::int16_t>(rows);
        e.of[q_.stream] = rows;
      }
    } else {
      s.region = storage::arena;
      s.stored = x.axes & ~one;
      if (q_.stream >= 0 && q_.window > 0) e.of[q_.stream] = q_.window;
    }
    if (x.kind == op::keep && q_.compact_keeps && (u.away & bit_of(x.axis))) {
      s.row_table = table(i, m);
      if (s.row_table >= 0) e.of[x.axis] = kept_rows(g_, e_, i);
    }
    s.size = points(e, s.stored);
    if (s.region == storage::state) {
      s.offset = m.state;
      m.state += rounded(s.size);
    } else {
      interval v = lifetime(i, s.stored, u.last);
      v.size = rounded(s.size);
      owner_.p[count_] = 2 * i;
      items_.p[count_++] = v;
    }
    if (x.kind != op::attend) return;
    if (s.region == storage::state && q_.window > 0) e.of[q_.stream] = q_.window;
    s.state_size = 2 * points(e, s.stored & ~bit_of(x.aux));
    interval v = u.last_state < 0 ? interval{at < 0 ? 0 : at, at < 0 ? p_.size : at, 0, 0} : lifetime(i, s.stored, u.last_state);
    v.size = rounded(s.state_size);
    owner_.p[count_] = 2 * i + 1;
    items_.p[count_++] = v;
  }

  // Row numbers of the positions a keep keeps; shared by keeps with the same condition. -1 where that cannot be known.
  constexpr std::int16_t table(int i, memory_plan& m) const {
    node const& x = g_.nodes[i];
    for (int j = 0; j < i; ++j) {
      node const& y = g_.nodes[j];
      if (y.kind == op::keep && y.axis == x.axis && y.arg[1] == x.arg[1] && m.of.p[j].row_table >= 0) return m.of.p[j].row_table;
    }
    position_evaluator holds(g_, e_, x.axis);
    if (!holds(x.arg[1], 0).ok) return -1;
    int const begin = m.rows.size;
    std::int32_t rows = 0;
    for (std::int64_t t = 0; t < e_.of[x.axis]; ++t) {
      known const k = holds(x.arg[1], t);
      if (!k.ok) { m.rows.size = begin; return -1; }
      m.rows.push(k.value != 0 ? rows++ : -1);
    }
    return static_cast<std::int16_t>(m.tables.push(begin));
  }
};

}  // namespace detail

/// The storage of every node of g under a plan. `e` must be complete (unbound_axes is empty). Values with no run statement that are not
/// leaves are taken to be alive throughout. Outputs live to the end. A leaf that is read from afar along the streamed axis keeps its own
/// buffer, which must then hold the whole history.
constexpr memory_plan plan_memory(graph_view g, plan_view p, extents const& e, memory_request const& q = {}) {
  detail::memory_planner planner(g, p, e, q);
  return planner.run();
}

}  // namespace dyadic
