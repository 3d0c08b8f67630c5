// A value at the node of a tree that a table names: operand 2 is the table; j >= 0 reads the state (operand 0) of merge j along `axis`,
// j < 0 the leaf (operand 1) ~j along `aux`. Inside the tree's recurrence operand 0 is a far edge: children are merged before parents.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::take> : op_defaults {
  static constexpr op_class kind = op_class::far;
  static constexpr int arity = 3;
  static constexpr double flops = 0;
  static constexpr bool crosses(node const& x, int axis) { return axis == x.aux || (axis == x.axis && !x.far[0]); }

  static constexpr int transpose(gradient& g, int i, op as, int d, axis_set to) {
    node const x = g.at(i);
    node t;
    t.kind = as; t.axis = x.axis; t.aux = x.aux; t.slot = x.slot; t.axes = to; t.nargs = 2;
    t.arg[0] = static_cast<std::int16_t>(d);
    t.arg[1] = x.arg[2];
    if (as == op::put) t.far[0] = static_cast<std::int8_t>(-x.far[0]);
    return g.b.push(t);
  }
  static constexpr void open(gradient& g, int i) {
    int const state = g.arg(i, 0);
    if (g.at(i).far[0] && g.wants(state)) g.give(state, transpose(g, i, op::put, -1, g.shape(state)));
  }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const state = g.arg(i, 0), leaf = g.arg(i, 1);
    for (int k = g.opened[i]; k < g.closed[i]; ++k)
      if (g.at(k).kind == op::put && g.at(k).arg[0] < 0) g.b[k].arg[0] = static_cast<std::int16_t>(d);
    if (!g.at(i).far[0] && g.wants(state)) g.give(state, transpose(g, i, op::put, d, g.shape(state)));
    if (g.wants(leaf)) g.give(leaf, transpose(g, i, op::put_leaf, d, g.shape(leaf)));
  }
};

}  // namespace dyadic
