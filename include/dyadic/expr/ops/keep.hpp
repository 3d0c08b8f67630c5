// x at the positions of node.axis where y holds; the others are never read and need not be stored. y depends on the position only (iota,
// constants, extents), so that the storage can be planned.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::keep> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr int arity = 2;
  static constexpr bool zero_through(node const&, int operand) { return operand == 0; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    if (g.wants(g.arg(i, 0))) g.give_arg(i, 0, g.select(g.arg(i, 1), d, g.number(0)));
  }
};

/// x, of which only the positions of A where `when` holds are read. `when` is a boolean made of positions and constants.
/// Not a mask: what reads the others gets anything.
template <class A, class List, class T, class H, class M, class J> constexpr auto keep(expr<List, T, H> x, expr<M, boolean, J> when) {
  static_assert(axes_inside<M, axes<A>>, "keep: the condition depends on the position along one axis only");
  node n;
  n.kind = op::keep; n.type = T::id; n.nargs = 2;
  n.arg[0] = static_cast<std::int16_t>(x.id); n.arg[1] = static_cast<std::int16_t>(when.id);
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id);
  return expr<List, T, join_axes<H, J>>{x.b, x.b->push(n)};
}

}  // namespace dyadic
