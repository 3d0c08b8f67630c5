// log of the sum of e^x along node.axis, by way of the maximum. A row of only -inf, or of nothing, gives -inf with gradient 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::logsumexp> : op_defaults {
  static constexpr double flops = 10;
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0);
    g.give(x, g.mul(d, g.like(i, op::softmax, g.shape(x), x)));   // not e^(x - r): softmax knows rows of only -inf
  }
};

/// logsumexp<A>(x): log of the sum of e^x over A. Errors: an axis x does not have.
template <class A, class List, class H> constexpr auto logsumexp(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "logsumexp: the value has no such axis");
  node n;
  n.kind = op::logsumexp; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id) & ~bit_of(n.axis);
  return expr<drop_axes<List, axes<A>>, f32, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
