// One position of an axis: r = x[axis = value], a negative one counts from the end; outside 0. A second operand is the result when the axis
// is empty: what a repeat of no layers returns.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::pick> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const& n, int) { return n.nargs == 1; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    if (g.wants(g.arg(i, 0))) g.give_arg(i, 0, g.like(i, op::place, g.shape(g.arg(i, 0)), d));
    if (g.at(i).nargs > 1 && g.wants(g.arg(i, 1))) g.give_arg(i, 1, g.like(i, op::if_empty, g.shape(i), d));
  }
};

/// pick<A>(x, n): x at position n of A; -1 is the last. Axes: x's without A. Errors: an axis x does not have.
template <class A, class List, class T, class H> constexpr auto pick(expr<List, T, H> x, int position, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "pick: the value has no such axis");
  node n;
  n.kind = op::pick; n.type = T::id; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.value = position; n.line = line;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id) & ~bit_of(n.axis);
  return expr<drop_axes<List, axes<A>>, T, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
