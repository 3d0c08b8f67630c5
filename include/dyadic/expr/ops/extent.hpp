// The extent of node.axis, as a real number: known when the axes are bound.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::extent> : leaf_op_info {};

/// The extent of A; x only says which graph. No axes.
template <class A, expression X> constexpr auto extent(X x) {
  node n;
  n.kind = op::extent; n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  return expr<axes<>>{x.b, x.b->push(n)};
}

}  // namespace dyadic
