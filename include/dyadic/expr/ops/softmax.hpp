// e^x over its sum along node.axis, by way of the maximum. A row of only -inf gives 0 with gradient 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::softmax> : op_defaults {
  static constexpr double flops = 12;
  static constexpr bool crosses(node const& n, int axis) { return n.axis == axis; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const mean = g.dot(d, i, g.shape(i) & ~bit_of(g.at(i).axis));
    g.give_arg(i, 0, g.mul(g.sub(d, mean), i));
  }
};

/// softmax<A>(x): non-negative weights that sum to 1 over A. Errors: an axis x does not have.
template <class A, class List, class H> constexpr auto softmax(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "softmax: the value has no such axis");
  node n;
  n.kind = op::softmax; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id);
  return expr<List, f32, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
