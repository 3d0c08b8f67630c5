// The lengths of a graph's axes once the run-time ones are bound, and the passes' arithmetic on them.
#pragma once
#include <cstdint>

#include "dyadic/axes/error.hpp"
#include "dyadic/expr/leaf.hpp"

namespace dyadic {

/// By axis number. -1: not known.
struct extents {
  std::int64_t of[max_axes];
  constexpr extents() : of{} { for (auto& n : of) n = -1; }
  constexpr std::int64_t operator[](int axis) const { return of[axis]; }
  constexpr bool operator==(extents const&) const = default;
};

/// Axes that a node's value or operation mentions, and those that derived ones among them come from.
constexpr axis_set axes_in_use(graph_view g) {
  axis_set used = 0;
  for (int i = 0; i < g.size; ++i) {
    node const& x = g.nodes[i];
    used |= x.axes & ~pair_bit;
    if (x.axis >= 0) used |= bit_of(x.axis);
    if (x.aux >= 0) used |= bit_of(x.aux);
    if (x.inner >= 0) used |= bit_of(x.inner);
  }
  for (int i = 0; i < g.nleaves; ++i) {
    for (int k = 0; k < g.leaves[i].rank; ++k) used |= bit_of(g.leaves[i].order[k]);
    if (g.leaves[i].index_axis >= 0) used |= bit_of(g.leaves[i].index_axis);
  }
  for (int round = 0; round < g.naxes; ++round) {
    axis_set more = used;
    for (int a = 0; a < g.naxes; ++a) {
      if (!(used & bit_of(a)) || g.axes[a].rule == extent_rule::bound || g.axes[a].extent >= 0) continue;
      if (g.axes[a].from >= 0) more |= bit_of(g.axes[a].from);
      if (g.axes[a].by >= 0) more |= bit_of(g.axes[a].by);
    }
    if (more == used) break;
    used = more;
  }
  return used;
}

/// Fills in static extents and those that follow from others. What stays unknown stays -1.
constexpr extents resolve(graph_view g, extents bound) {
  extents r = bound;
  for (int a = 0; a < g.naxes; ++a) if (r.of[a] < 0 && g.axes[a].extent >= 0) r.of[a] = g.axes[a].extent;
  bool more = true;
  for (int round = 0; more && round < g.naxes; ++round) {
    more = false;
    for (int a = 0; a < g.naxes; ++a) {
      axis_info const& x = g.axes[a];
      if (r.of[a] >= 0 || x.rule == extent_rule::bound || x.from < 0) continue;
      std::int64_t const from = r.of[x.from], by = x.by >= 0 ? r.of[x.by] : 1;
      if (from < 0) continue;
      if (x.rule == extent_rule::same_as) r.of[a] = from;
      else if (x.rule == extent_rule::quotient && by > 0) r.of[a] = (from + by - 1) / by;
      else if (x.rule == extent_rule::tree && x.tree >= 0 && x.tree < g.ntrees) r.of[a] = g.trees[x.tree].merges(from);
      if (r.of[a] >= 0) more = true;
    }
  }
  return r;
}

/// The axes in use that still have no extent and that the user has to bind: empty when r is complete.
constexpr axis_set unbound_axes(graph_view g, extents const& r) {
  axis_set const used = axes_in_use(g);
  axis_set missing = 0;
  for (int a = 0; a < g.naxes; ++a)
    if ((used & bit_of(a)) && r.of[a] < 0 && g.axes[a].rule == extent_rule::bound) missing |= bit_of(a);
  return missing;
}
/// The lowest of them, or -1: `static_assert(first_unbound_axis(graph, extents) < 0, ...)`.
constexpr int first_unbound_axis(graph_view g, extents const& r) {
  axis_set const missing = unbound_axes(g, r);
  for (int a = 0; a < g.naxes; ++a) if (missing & bit_of(a)) return a;
  return -1;
}
/// An axis whose extent contradicts a static one or a rule, or -1.
constexpr int first_contradicted_axis(graph_view g, extents const& bound) {
  for (int a = 0; a < g.naxes; ++a) {
    if (bound.of[a] < 0) continue;
    extents without = bound;
    without.of[a] = -1;
    without = resolve(g, without);
    if (without.of[a] >= 0 && without.of[a] != bound.of[a]) return a;
  }
  return -1;
}

/// The number of points of a set of axes. Errors: shape, for more than 2^56, so that sizes and their sums stay within 64 bits.
constexpr std::int64_t points(extents const& e, axis_set s) {
  std::int64_t n = 1;
  for (int a = 0; a < max_axes; ++a) {
    if (!(s & bit_of(a))) continue;
    bool const beyond = __builtin_mul_overflow(n, e.of[a], &n) || n > (std::int64_t{1} << 56);
    if (beyond) raise(error_kind::shape, "a value of more than 2^56 elements");
  }
  return n;
}

/// A binding (axes/bind.hpp) applied to a graph: bound extents plus what follows from them. Axes the graph lacks are skipped: see
/// foreign_axis.
template <class Binding> constexpr extents extents_of(graph_view g, Binding const& b) {
  extents r;
  for (int k = 0; k < Binding::size; ++k)
    for (int a = 0; a < g.naxes; ++a) if (g.axes[a].key == Binding::key(k)) r.of[a] = b.extent(k);
  return resolve(g, r);
}
/// The index in the binding of an axis the graph does not have, or -1.
template <class Binding> constexpr int foreign_axis(graph_view g) {
  for (int k = 0; k < Binding::size; ++k) {
    bool found = false;
    for (int a = 0; a < g.naxes; ++a) if (g.axes[a].key == Binding::key(k)) found = true;
    if (!found) return k;
  }
  return -1;
}

}  // namespace dyadic
