// The position of the largest element along node.axis, the first of equals; of none: -1. No gradient passes.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::argmax> : op_defaults {
};

/// argmax<A>(x): where the largest element along A lies, the first of equals. Errors: an axis x does not have.
template <class A, class List, class H> constexpr auto argmax(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "argmax: the value has no such axis");
  node n;
  n.kind = op::argmax; n.type = dtype::i32; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id) & ~bit_of(n.axis);
  return expr<drop_axes<List, axes<A>>, i32, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
