// Which single values, if they were kept, would break every cycle along an axis: a recurrence seen from its narrowest point.
#pragma once
#include "dyadic/passes/reads.hpp"

namespace dyadic {

namespace detail {

/// The nodes run inside one loop, and the far edges that still close cycles there: those of the loops around are given.
class loop_cycles {
 public:
  constexpr loop_cycles(graph_view graph, plan_view plan, nesting const& n, int loop)
      : g_(graph), axis_(plan.s[loop].id), in_(graph.size), state_(graph.size) {
    for (int l = n.up.p[loop]; l >= 0; l = n.up.p[l]) given_ |= bit_of(plan.s[l].id);
    for (int s = loop; s < plan.s[loop].other; ++s) if (plan.s[s].kind == stmt::run) in_.p[plan.s[s].id] = 1;
  }
  constexpr bool contains(int i) const { return in_.p[i] != 0; }

  /// Is there a cycle with a far edge along the loop's axis that avoids node v?
  constexpr bool cyclic_without(int v) {
    for (int r = 0; r < g_.size; ++r) {
      if (!in_.p[r] || r == v) continue;
      node const& x = g_.nodes[r];
      for (int k = 0; k < x.nargs; ++k)
        if (x.far[k] && x.axis == axis_ && x.arg[k] >= 0 && x.arg[k] != v && in_.p[x.arg[k]] && reaches(x.arg[k], r, v)) return true;
    }
    return false;
  }

 private:
  graph_view g_;
  int axis_;
  axis_set given_ = 0;
  scratch<std::uint8_t> in_, state_;

  // Does `from` depend on `target`, by a way that avoids v?
  constexpr bool reaches(int from, int target, int v) {
    for (int i = 0; i < g_.size; ++i) state_.p[i] = 0;
    grown<std::int16_t> todo;
    todo.push(static_cast<std::int16_t>(from));
    state_.p[from] = 1;
    while (todo.size) {
      int const u = todo.p[--todo.size];
      if (u == target) return true;
      node const& x = g_.nodes[u];
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0 || a == v || state_.p[a] || (x.far[k] && (given_ & bit_of(x.axis)))) continue;
        if (!in_.p[a] && !(g_.nodes[a].axes & pair_bit)) continue;
        state_.p[a] = 1;
        todo.push(static_cast<std::int16_t>(a));
      }
    }
    return false;
  }
};

}  // namespace detail

/// Would keeping the value of `v` leave no cycle along `axis` in the plan's loop over it that v runs in? False when it runs in none.
constexpr bool breaks_cycle(graph_view g, plan_view p, int axis, int v) {
  nesting const n(g, p);
  int const loop = n.loop_over(axis, n.at.p[v]);
  if (loop < 0) return false;
  detail::loop_cycles c(g, p, n, loop);
  return !c.cyclic_without(v);
}

/// All such nodes, in the plan's order.
constexpr detail::grown<std::int16_t> cycle_breakers(graph_view g, plan_view p, int axis) {
  detail::grown<std::int16_t> r;
  nesting const n(g, p);
  for (int l = 0; l < p.size; ++l) {
    if (p.s[l].kind != stmt::begin || p.s[l].id != axis || n.loop_over(axis, l) >= 0) continue;
    detail::loop_cycles c(g, p, n, l);
    if (!c.cyclic_without(-1)) continue;
    for (int s = l; s < p.s[l].other; ++s)
      if (p.s[s].kind == stmt::run && !c.cyclic_without(p.s[s].id)) r.push(p.s[s].id);
  }
  return r;
}

}  // namespace dyadic
