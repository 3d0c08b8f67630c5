// Who reads a value: in which statement of a plan, and along which axes at other positions than the reader's own.
#pragma once
#include "dyadic/passes/dependences.hpp"
#include "dyadic/plan/plan.hpp"

namespace dyadic {

/// Loops around the statements of a plan.
class nesting {
 public:
  plan_view p;
  detail::scratch<int> up;        ///< by statement: the begin of the innermost loop around it, or -1. A loop's own end counts as inside it.
  detail::scratch<int> at;        ///< by node: its run statement, or -1

  constexpr nesting(graph_view g, plan_view plan) : p(plan), up(plan.size, -1), at(g.size, -1) {
    int open = -1;
    for (int s = 0; s < p.size; ++s) {
      up.p[s] = open;
      if (p.s[s].kind == stmt::begin) open = s;
      else if (p.s[s].kind == stmt::end) open = open < 0 ? -1 : up.p[open];
      else at.p[p.s[s].id] = s;
    }
  }
  constexpr bool inside(int s, int loop) const { return loop < s && s <= p.s[loop].other; }
  /// The innermost loop over `axis` around statement s, or -1.
  constexpr int loop_over(int axis, int s) const {
    int l = s < 0 ? -1 : up.p[s];
    while (l >= 0 && p.s[l].id != axis) l = up.p[l];
    return l;
  }
  /// The last statement that s belongs to as seen from inside loop `home` (-1: from outside all loops): s, or the end of the loop
  /// around it.
  constexpr int last_of(int s, int home) const {
    int r = s;
    for (int l = up.p[s]; l != home && l >= 0; l = up.p[l]) r = p.s[l].other;
    return r;
  }
};

/// One value read by one statement.
struct value_read {
  std::int16_t value = -1, reader = -1;
  int stmt = -1;              ///< the reader's run; for a tile, the end of its loop's body
  axis_set history = 0;       ///< axes along which other positions are read
  axis_set tile = 0;          ///< axes along which a tile reads other positions of the current loop
  std::int8_t operand = -1;   ///< -1: through the score of a fold
};

namespace detail {

/// Axes along which node r reads its k-th operand at other positions than its own.
constexpr axis_set other_positions(graph_view g, int r, int k) {
  node const& x = g.nodes[r];
  auto const bit = [](int a) { return a < 0 ? axis_set{0} : bit_of(a); };
  axis_set s = g.nodes[x.arg[k]].axes & ~x.axes & ~pair_bit;
  if (x.far[k]) s |= bit(x.axis);
  switch (traits(x.kind).kind) {
    case op_class::row: case op_class::indexed: s |= bit(x.axis); break;
    case op_class::view: if (x.kind != op::keep) s |= bit(x.axis) | bit(x.aux) | bit(x.inner); break;
    case op_class::far:
      if (x.kind == op::put || x.kind == op::put_leaf || (x.kind == op::take && k < 2)) s |= bit(x.axis) | bit(x.aux);
      break;
    case op_class::fold: if (x.kind != op::attend_lse) s |= bit(x.aux); break;
    default: break;
  }
  return s;
}

}  // namespace detail

/// Every read of a plan, in the order of the readers' numbers. Values read by pair nodes are read by the folds that evaluate them.
class value_reads {
 public:
  detail::grown<value_read> list;

  constexpr value_reads(graph_view graph, nesting const& n) : g_(graph), seen_(graph.size, -1), todo_(graph.size) {
    for (int r = 0; r < g_.size; ++r) {
      node const& x = g_.nodes[r];
      if ((x.axes & pair_bit) || x.nargs == 0) continue;
      int const at = n.at.p[r];
      bool const tiled = at >= 0 && n.p.s[at].tiled;
      int const loop = tiled ? n.loop_over(x.axis, at) : -1;
      int const where = loop >= 0 ? n.p.s[loop].other : at;       // after which statement a tile is taken
      axis_set const tile = loop >= 0 ? bit_of(x.axis) : axis_set{0};
      for (int k = 0; k < x.nargs; ++k) {
        if (x.arg[k] < 0) continue;
        if (g_.nodes[x.arg[k]].axes & pair_bit) { through(r, x.arg[k], where, tile); continue; }
        bool const self = x.kind == op::attend && (k == 1 || k == 2);   // the self pair joins when the fold is complete
        add({x.arg[k], static_cast<std::int16_t>(r), self ? at : where, detail::other_positions(g_, r, k), self ? 0 : tile,
             static_cast<std::int8_t>(k)});
      }
      if (loop >= 0) add({static_cast<std::int16_t>(r), static_cast<std::int16_t>(r), where, 0, tile, -1});   // the sums a tile adds to
    }
  }

 private:
  graph_view g_;
  detail::scratch<int> seen_;
  detail::scratch<std::int16_t> todo_;

  constexpr void add(value_read const& r) { list.push(r); }

  constexpr void through(int r, int root, int where, axis_set tile) {
    if (seen_.p[root] == r) return;
    node const& fold = g_.nodes[r];
    int n = 0;
    todo_.p[n++] = static_cast<std::int16_t>(root);
    seen_.p[root] = r;
    while (n) {
      node const& x = g_.nodes[todo_.p[--n]];
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0 || seen_.p[a] == r) continue;
        if (g_.nodes[a].axes & pair_bit) {
          seen_.p[a] = r;
          todo_.p[n++] = static_cast<std::int16_t>(a);
          continue;
        }
        // A key's value is far from a query; what the score reads at the query is far from a key.
        bool const far = belongs_to_key(fold.kind) || x.far[k] != 0;
        axis_set const lost = g_.nodes[a].axes & ~fold.axes;
        add({static_cast<std::int16_t>(a), static_cast<std::int16_t>(r), where, lost | (far ? bit_of(fold.axis) : axis_set{0}), tile, -1});
      }
    }
  }
};

}  // namespace dyadic
