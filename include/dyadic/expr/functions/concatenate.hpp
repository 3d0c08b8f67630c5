// Two values one after the other along an axis.
#pragma once
#include "dyadic/expr/ops/add.hpp"
#include "dyadic/expr/ops/window.hpp"

namespace dyadic {

/// concatenate<A, B, To>(x, y): x along A, then y along B, as one axis To of length A + B (where it is longer, the rest is 0).
/// Axes: x's with To for A, which must be y's with To for B. Errors: an axis an operand lacks, other axes that differ, static extents that
/// do not add up.
template <class A, class B, class To, class List, class T, class H, class M, class U, class J>
constexpr auto concatenate(expr<List, T, H> x, expr<M, U, J> y, int line = __builtin_LINE()) {
  constexpr int a = A::static_extent, b = B::static_extent, to = To::static_extent;
  static_assert(a < 0 || b < 0 || to < 0 || a + b == to, "concatenate: the new axis is not as long as the two together");
  static_assert(same_axes<drop_axes<List, axes<A>>, drop_axes<M, axes<B>>>, "concatenate: the operands differ in other axes");
  return map_op<op::add>(detail::window_of<A, To>(x, 0, -1, 0, line),
                         detail::window_of<B, To>(y, 0, axis_id<A>(*x.b), -1, line));   // each is 0 where the other lies
}

}  // namespace dyadic
