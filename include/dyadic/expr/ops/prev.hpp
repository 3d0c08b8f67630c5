// The value a position back along a recurrence's axis; the initial value (operand 1, or 0) where there is none.
// far[0] = +1: the state of a carry, n = `value` positions earlier. far[0] = -1: n later, its transpose.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::prev> : op_defaults {
  static constexpr op_class kind = op_class::far;
  static constexpr double flops = 0;
  static constexpr void open(gradient& g, int i) {
    if (!g.wants(g.arg(i, 0))) return;
    node back = g.at(i);
    back.nargs = 1;
    back.far[0] = static_cast<std::int8_t>(-back.far[0]);
    back.arg[0] = back.arg[1] = -1;
    g.give_arg(i, 0, g.b.push(back));
  }
  static constexpr void adjoint(gradient& g, int i, int d) {
    for (int k = g.opened[i]; k < g.closed[i]; ++k)
      if (g.at(k).kind == op::prev && g.at(k).arg[0] < 0) g.b[k].arg[0] = static_cast<std::int16_t>(d);
    node const x = g.at(i);
    if (x.nargs < 2 || !g.wants(x.arg[1])) return;
    axis_set const along = bit_of(x.axis);   // the initial value is read at position 0 alone
    node first;
    first.kind = op::pick; first.axis = x.axis; first.nargs = 1; first.arg[0] = static_cast<std::int16_t>(d);
    first.axes = g.shape(d) & ~along;
    int y = g.b.push(first);
    if (g.shape(x.arg[1]) & along) {
      node at = first;
      at.kind = op::place; at.arg[0] = static_cast<std::int16_t>(y); at.axes = g.shape(d);
      y = g.b.push(at);
    }
    g.give_arg(i, 1, y);
  }
};

}  // namespace dyadic
