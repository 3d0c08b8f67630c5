// Which nodes of an interleaved graph need only the rows that are new in a pass. Proved in two fixpoints:
//   zero  (greatest) 0 at the other rows whatever happens: the active mask, the loss weights, and what they multiply;
//   all   (least)    somebody reads one of the other rows and does not multiply it by zero.
// The rest is evaluated on a pass's active rows alone, forwards and backwards: 2 / (S + 1) of the work, the same values.
#pragma once
#include "dyadic/expr/op_table.hpp"

namespace dyadic {

/// Sets active[i] = 1 where node i can be restricted to the active rows. `axis`: the rows'; `passes`: the passes'.
/// Seeds count as zero at inactive rows: the loss weights of an interleaved solver are.
constexpr void active_rows(graph_view const& g, int axis, int passes, std::uint8_t* active) {
  int const n = g.size;
  axis_set const both = bit_of(axis) | bit_of(passes);
  detail::scratch<std::uint8_t> zero(n), all(n), given(n);
  bool solved = false;
  for (int k = 0; k < g.nleaves; ++k) {
    leaf const& l = g.leaves[k];
    if (l.node >= 0 && (l.role == leaf_role::active || l.role == leaf_role::seed)) given.p[l.node] = 1;
    solved |= l.role == leaf_role::active;
  }
  for (int i = 0; i < n; ++i) active[i] = 0;
  if (!solved) return;
  auto has_rows = [&](int i) { return (g.nodes[i].axes & both) == both && !(g.nodes[i].axes & pair_bit); };
  auto zeros = [&](node const& x, int k) {
    int const a = x.arg[k];
    return a >= 0 && !x.far[k] && (zero.p[a] || (g.nodes[a].kind == op::constant && !(g.nodes[a].value < 0 || g.nodes[a].value > 0)));
  };
  for (int i = 0; i < n; ++i) zero.p[i] = has_rows(i);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < n; ++i) {
      if (!zero.p[i] || given.p[i]) continue;
      node const& x = g.nodes[i];
      bool const across = x.axis == axis || x.axis == passes || traits(x.kind).crosses(x, axis) || traits(x.kind).crosses(x, passes);
      op_class const kind = traits(x.kind).kind;
      bool keeps = false;
      if (x.kind == op::add || x.kind == op::sub) keeps = zeros(x, 0) && zeros(x, 1);
      else if (x.kind == op::select) keeps = zeros(x, 1) && zeros(x, 2);
      else if (x.kind == op::prev) keeps = !across && x.arg[0] >= 0 && zero.p[x.arg[0]] && (x.nargs < 2 || zeros(x, 1));
      else if (kind == op_class::fold) {
        // Query-side folds are zero with their query's cotangent. Key-side folds along the rows sum over other rows; along another axis
        // (depth) the cotangent lies on the same row.
        bool const query_side = x.kind == op::attend_dq || x.kind == op::attend_dscore_query;
        for (int k = 0; k < x.nargs; ++k)
          if (traits(x.kind).zero_through(x, k) && x.arg[k] >= 0 && zero.p[x.arg[k]] && (query_side || !across)) keeps = true;
      } else if (!across) {
        for (int k = 0; k < x.nargs; ++k) keeps |= zeros(x, k) && traits(x.kind).zero_through(x, k);
      }
      if (!keeps) { zero.p[i] = 0; more = true; }
    }
  }
  auto absorbed = [&](node const& x, int k) {   // another operand multiplies it by zero
    if (traits(x.kind).kind == op_class::fold) {
      if (!x.far[k]) return false;
      for (int q = 0; q < x.nargs; ++q)
        if (x.far[q] && q != k && traits(x.kind).zero_through(x, q) && x.arg[q] >= 0 && zero.p[x.arg[q]]) return true;
      return false;
    }
    if (x.kind != op::mul && x.kind != op::contract) return false;
    return x.arg[1 - k] >= 0 && zero.p[x.arg[1 - k]] != 0;
  };
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < n; ++i) {
      node const& x = g.nodes[i];
      bool const restricted = has_rows(i) && !all.p[i];
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0 || all.p[a] || !has_rows(a) || zero.p[a]) continue;
        bool const moved =
            (x.far[k] && (x.axis == axis || x.axis == passes)) || traits(x.kind).crosses(x, axis) || traits(x.kind).crosses(x, passes);
        bool const pair = (x.axes & pair_bit) != 0;
        bool const whole = !pair && (!has_rows(i) || (!restricted && !zero.p[i]));
        if ((moved || whole || (pair && x.far[k])) && !absorbed(x, k)) { all.p[a] = 1; more = true; }
      }
    }
  }
  // A score is read at the rows of the folds that evaluate it; what it needs at the query is needed wherever one of them runs.
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < n; ++i) {
      node const& x = g.nodes[i];
      bool const everywhere = (x.axes & pair_bit) ? all.p[i] != 0 : (has_rows(i) && all.p[i]) || (!has_rows(i) && (x.axes & bit_of(axis)));
      if (!everywhere) continue;
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0 || all.p[a] || zero.p[a] || absorbed(x, k)) continue;
        if ((g.nodes[a].axes & pair_bit) || has_rows(a)) { all.p[a] = 1; more = true; }
      }
    }
  }
  for (int i = 0; i < n; ++i) active[i] = has_rows(i) && !all.p[i] && g.nodes[i].kind != op::input && g.nodes[i].kind != op::param;
}

}  // namespace dyadic
