// Questions about plans that tests, static_asserts and passes ask.
#pragma once
#include "dyadic/expr/leaf.hpp"
#include "dyadic/plan/plan.hpp"

namespace dyadic {

enum class loop_kind : std::uint8_t { any, tiled, untiled };

/// How many loops over an axis the plan has.
constexpr int loops_over(plan_view p, int axis, loop_kind kind = loop_kind::any) {
  int n = 0;
  for (int k = 0; k < p.size; ++k) {
    stmt const& s = p.s[k];
    if (s.kind == stmt::begin && s.id == axis && (kind == loop_kind::any || s.tiled == (kind == loop_kind::tiled))) ++n;
  }
  return n;
}

/// How many statements that satisfy test(node number, depth) there are; depth: the number of loops over `axis` around the statement.
template <class F> constexpr int count_statements(plan_view p, int axis, F&& test) {
  int n = 0, depth = 0;
  for (int k = 0; k < p.size; ++k) {
    stmt const& s = p.s[k];
    if (s.kind == stmt::run) n += test(static_cast<int>(s.id), depth) ? 1 : 0;
    else if (s.id == axis) depth += s.kind == stmt::begin ? 1 : -1;
  }
  return n;
}
/// Statements of one operation inside loops over an axis.
constexpr int count_inside(graph_view g, plan_view p, int axis, op kind) {
  return count_statements(p, axis, [&](int i, int depth) { return depth > 0 && g.nodes[i].kind == kind; });
}
/// Statements inside loops over an axis.
constexpr int count_inside(plan_view p, int axis) { return count_statements(p, axis, [](int, int depth) { return depth > 0; }); }
/// Statements that have an axis but lie in no loop over it: 0 for repeat and pass axes, but for what reads across the axis.
constexpr int count_outside(graph_view g, plan_view p, int axis) {
  return count_statements(p, axis, [&](int i, int depth) { return depth == 0 && (g.nodes[i].axes >> axis & 1); });
}
/// No loop over the axis: all its positions are computed at once.
constexpr bool is_parallel(plan_view p, int axis) { return loops_over(p, axis) == 0; }
/// A statement's index by node, or -1: where node i is computed.
constexpr int statement_of(plan_view p, int i) {
  for (int k = 0; k < p.size; ++k) if (p.s[k].kind == stmt::run && p.s[k].id == i) return k;
  return -1;
}
/// The first of two loops encloses the second: some loop over `inner` lies in one over `outer`.
constexpr bool is_nested(plan_view p, int outer, int inner) {
  int depth = 0;
  for (int k = 0; k < p.size; ++k) {
    stmt const& s = p.s[k];
    if (s.kind == stmt::run) continue;
    if (s.id == outer) depth += s.kind == stmt::begin ? 1 : -1;
    if (s.id == inner && s.kind == stmt::begin && depth) return true;
  }
  return false;
}

}  // namespace dyadic
