// x at one position of a new axis, 0 elsewhere: r[axis = i] = i == value ? x : 0; a negative value counts from the end.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::place> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.like(i, op::pick, g.shape(i) & ~bit_of(g.at(i).axis), d)); }
};

/// place<A>(x, n): x at position n of A, 0 elsewhere. Axes: x's and A. Errors: an axis x already has.
template <class A, class List, class T, class H> constexpr auto place(expr<List, T, H> x, int position) {
  static_assert(axis_is_new_to<A, List>, "place: the value has this axis already");
  static_assert(axis_is_new_to<A, H>, "place: inside a scan over this axis a value has one position of it");
  node n;
  n.kind = op::place; n.type = T::id; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.value = position;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id) | bit_of(n.axis);
  return expr<join_axes<List, axes<A>>, T, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
