// Fusion: pointwise statements of one straight line of a plan, and the sums and extremes along their innermost axis, become groups that one
// kernel computes position by position, so that what only the group reads is never stored.
//
// A group has a domain, the axes of its pointwise values, and a row axis, the innermost of them. Row values lack the row axis: reductions
// along it, and what is pointwise in them. A sum over other axes than the row axis may end a group: the kernel adds to it. A group runs
// where its last member stood; a value that another statement reads closes the group it comes from, so every reader still comes after it.
#pragma once
#include "dyadic/expr/leaf.hpp"
#include "dyadic/expr/op_table.hpp"
#include "dyadic/plan/plan.hpp"
#include "dyadic/plan/storage.hpp"

namespace dyadic {

/// The most steps, and operands from outside, a group may have.
inline constexpr int max_group_members = 24, max_group_operands = 14;

struct fuse_request {
  /// Softmax, logsumexp and products summed along a row join groups, too, and what joins no other statement is a group by itself. For
  /// devices, where a launch and a value's way through memory cost most; a CPU's own kernels for these are as fast, and compile once.
  bool everything = false;
};

namespace detail {

class fuser {
 public:
  constexpr fuser(graph_view g, plan_view p, fuse_request const& q)
      : g_(g), p_(p), q_(q), group_(g.size, -1), level_(g.size), shifted_(g.size), groups_(p.size + 1) {
    bool streamed = false;
    for (int s = 0; s < p.size; ++s) streamed = streamed || (p.s[s].kind == stmt::begin && p.s[s].streamed);
    // What a streaming program keeps in a ring of rows is left alone: its rows do not lie one after another.
    for (int i = 0; streamed && i < g.size; ++i)
      if (g.nodes[i].kind == op::prev || g.nodes[i].kind == op::shift) shifted_.p[g.nodes[i].arg[0]] = 1;
  }

  constexpr plan run() {
    plan r;
    r.s.reserve(p_.size);
    r.stuck = p_.stuck;
    r.stuck_axis = p_.stuck_axis;
    for (int s = 0; s < p_.size;) {
      if (p_.s[s].kind != stmt::run) {
        move_loop(p_.s[s]);
        r.s.push(p_.s[s++]);
        continue;
      }
      int end = s;
      while (end < p_.size && p_.s[end].kind == stmt::run) ++end;
      line(s, end, r);
      s = end;
    }
    return r;
  }

 private:
  struct group {
    axis_set domain = 0;
    int row = -1, members = 0, steps = 0, operands = 0, last = -1;
    bool open = true;
    std::int16_t operand[max_group_operands]{};
  };
  graph_view g_;
  plan_view p_;
  fuse_request q_;
  scratch<std::int16_t> group_;
  scratch<member_level> level_;
  scratch<std::uint8_t> shifted_;
  scratch<group> groups_;
  int count_ = 0, line_begin_ = 0;   // groups so far; the first of the current line
  int numbered_ = 0;
  int loops_[max_axes]{};            // how many loops over an axis are open
  bool streaming_ = false;

  constexpr void move_loop(stmt const& s) {
    loops_[s.id] += s.kind == stmt::begin ? 1 : -1;
    if (s.kind == stmt::begin && s.streamed) streaming_ = true;
    if (s.kind == stmt::end && p_.s[s.other].streamed) streaming_ = false;
  }
  // Axes split from a streamed one stand at one position with it.
  constexpr bool walked(int axis) const {
    if (loops_[axis] > 0) return false;
    axis_info const& a = g_.axes[axis];
    return !(streaming_ && (a.role == axis_role::scan || a.rule == extent_rule::quotient));
  }
  /// The innermost axis that a statement over `axes` walks, or -1.
  constexpr int innermost(axis_set axes) const {
    int best = -1, rank = -1;
    for (int a = 0; a < g_.naxes; ++a)
      if ((axes >> a & 1) && walked(a) && layout_rank(g_.axes[a].role) >= rank) { best = a; rank = layout_rank(g_.axes[a].role); }
    return best;
  }

  constexpr bool pointwise(node const& x) const { return traits(x.kind).kind == op_class::map || x.kind == op::spread; }
  constexpr bool fusable(stmt const& s) const {
    node const& x = g_.nodes[s.id];
    if (s.guard != stmt::always || s.active_rows || s.tiled || (x.axes & pair_bit) || shifted_.p[s.id]) return false;
    bool const steps = q_.everything && (softmax_like(x) || dot(x));
    if (!pointwise(x) && !steps && x.kind != op::sum && x.kind != op::reduce_max && x.kind != op::reduce_min)
      return false;
    for (int k = 0; k < operands_of(x); ++k)
      if (x.far[k] || shifted_.p[x.arg[k]] || (g_.nodes[x.arg[k]].axes & pair_bit)) return false;
    return true;
  }
  // Of several steps: the maximum, exponentials, their sum, and what is made of it.
  static constexpr bool softmax_like(node const& x) { return x.kind == op::softmax || x.kind == op::logsumexp; }
  // A contraction of two values over the same axes: their product and its sum. Others are matrix products.
  constexpr bool dot(node const& x) const { return x.kind == op::contract && g_.nodes[x.arg[0]].axes == g_.nodes[x.arg[1]].axes; }
  static constexpr int steps_of(node const& x) { return softmax_like(x) ? 5 : x.kind == op::contract ? 2 : 1; }
  static constexpr int operands_of(node const& x) { return x.kind == op::spread ? 1 : x.nargs; }

  constexpr bool member(int i, int q) const { return group_.p[i] == q; }
  /// Whether x can join group q, and how.
  constexpr bool fits(node const& x, int q, member_level& how) const {
    group const& w = groups_.p[q];
    if (!w.open || w.steps + steps_of(x) > max_group_members) return false;
    int more = 0, from_elements = 0, from_rows = 0;
    bool shares = false;
    for (int k = 0; k < operands_of(x); ++k) {
      int const a = x.arg[k];
      if (member(a, q)) {
        if (level_.p[a] == member_level::columns) return false;
        ++(level_.p[a] == member_level::row ? from_rows : from_elements);
        continue;
      }
      bool known = false;
      for (int j = 0; j < w.operands; ++j) known = known || w.operand[j] == a;
      if (known) shares = shares || g_.nodes[a].axes != 0;
      else ++more;
    }
    if (w.operands + more > max_group_operands) return false;
    axis_set const row = w.row >= 0 ? bit_of(w.row) : axis_set{0};
    if (x.kind == op::softmax) {
      how = member_level::element;
      return x.axes == w.domain && x.axis == w.row && (from_elements || shares);
    }
    if (!pointwise(x)) {
      axis_set const gone = g_.nodes[x.arg[0]].axes & ~x.axes;
      if (g_.nodes[x.arg[0]].axes != w.domain || from_rows) return false;
      if (gone == row) { how = member_level::row; return from_elements || shares; }
      how = member_level::columns;
      return (x.kind == op::sum || x.kind == op::contract) && from_elements && !(gone & row);
    }
    if (x.axes == w.domain) { how = member_level::element; return from_elements || from_rows || shares; }
    if (x.axes == (w.domain & ~row)) { how = member_level::row; return from_rows && !from_elements; }
    return false;
  }
  /// Whether x can begin a group.
  constexpr bool begins(node const& x, group& w, member_level& how) const {
    bool const elements = pointwise(x) || x.kind == op::softmax;
    how = elements ? member_level::element : member_level::row;
    w.domain = elements ? x.axes : g_.nodes[x.arg[0]].axes;
    w.row = innermost(w.domain);
    if (w.row < 0) return q_.everything && elements && w.domain == 0;   // numbers without axes
    if (x.kind == op::softmax && x.axis != w.row) return false;
    return elements || (w.domain & ~x.axes) == bit_of(w.row);
  }
  constexpr void join(int i, int q, member_level how, int s) {
    group& w = groups_.p[q];
    node const& x = g_.nodes[i];
    for (int k = 0; k < operands_of(x); ++k) {
      int const a = x.arg[k];
      bool known = member(a, q);
      for (int j = 0; j < w.operands && !known; ++j) known = w.operand[j] == a;
      if (!known) w.operand[w.operands++] = static_cast<std::int16_t>(a);
    }
    group_.p[i] = static_cast<std::int16_t>(q);
    level_.p[i] = how;
    ++w.members;
    w.steps += steps_of(x);
    w.last = s;
  }
  // What a statement reads is complete before it: its groups take no more members.
  constexpr void close(node const& x, int except) {
    if (traits(x.kind).kind == op_class::fold) {   // reads through its score, too
      for (int q = line_begin_; q < count_; ++q) groups_.p[q].open = false;
      return;
    }
    for (int k = 0; k < x.nargs; ++k)
      if (x.arg[k] >= 0 && group_.p[x.arg[k]] >= line_begin_ && group_.p[x.arg[k]] != except) groups_.p[group_.p[x.arg[k]]].open = false;
  }

  constexpr void line(int begin, int end, plan& r) {
    line_begin_ = count_;
    for (int s = begin; s < end; ++s) {
      int const i = p_.s[s].id;
      node const& x = g_.nodes[i];
      int to = -1;
      member_level how{};
      if (fusable(p_.s[s])) {
        // The latest group that takes it: the one whose values are still in the cache. A few are looked at.
        for (int q = count_ - 1, looked = 0; q >= line_begin_ && to < 0 && looked < 6; --q) {
          if (!groups_.p[q].open) continue;
          ++looked;
          if (fits(x, q, how)) to = q;
        }
        if (to < 0) {
          group w;
          if (begins(x, w, how)) {
            groups_.p[count_] = w;
            to = count_++;
          }
        }
        if (to >= 0) join(i, to, how, s);
      }
      close(x, to);
    }
    // Members go where the last of them stood.
    for (int s = begin; s < end; ++s) {
      int const q = group_.p[p_.s[s].id];
      if (q < 0 || (groups_.p[q].members == 1 && !q_.everything)) { r.s.push(p_.s[s]); continue; }
      if (groups_.p[q].last != s) continue;
      for (int m = begin; m <= s; ++m) {
        if (group_.p[p_.s[m].id] != q) continue;
        stmt t = p_.s[m];
        t.group = static_cast<std::int16_t>(numbered_);
        t.row = static_cast<std::int8_t>(groups_.p[q].row);
        t.level = level_.p[t.id];
        r.s.push(t);
      }
      ++numbered_;
    }
  }
};

}  // namespace detail

/// The plan with its groups: members of one stand together and have its number, counted from 0. Values are those of p.
constexpr plan fuse(graph_view g, plan_view p, fuse_request const& q = {}) {
  detail::fuser f(g, p, q);
  return f.run();
}

/// Calls f(first, end) for the statements of every group of a fused plan, in the order of their numbers.
template <class F> constexpr void each_group(plan_view p, F&& f) {
  for (int s = 0; s < p.size;) {
    int end = s + 1;
    if (p.s[s].kind == stmt::run && p.s[s].group >= 0) {
      while (end < p.size && p.s[end].kind == stmt::run && p.s[end].group == p.s[s].group) ++end;
      f(s, end);
    }
    s = end;
  }
}

/// How many groups a fused plan has.
constexpr int groups_of(plan_view p) {
  int n = 0;
  each_group(p, [&](int, int) { ++n; });
  return n;
}

}  // namespace dyadic
