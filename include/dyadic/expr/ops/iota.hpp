// The position along node.axis, an integer. Inside a scan over the axis it is the index of the current position.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::iota> : leaf_op_info {};

/// 0, 1, 2, ... along A; x only says which graph. Axes: A.
template <class A, expression X> constexpr auto iota(X x) {
  node n;
  n.kind = op::iota; n.type = dtype::i32; n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b)); n.axes = bit_of(n.axis);
  return expr<axes<A>, i32>{x.b, x.b->push(n)};
}

}  // namespace dyadic
