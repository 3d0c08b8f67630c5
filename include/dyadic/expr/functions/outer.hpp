// All products of two values.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/ops/mul.hpp"

namespace dyadic {

/// x * y where neither has all the axes of the other. Axes: those of both. An axis both have runs together.
template <class List, class T, class H, class M, class J> constexpr auto outer(expr<List, T, H> x, expr<M, T, J> y) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  detail::check_operands<expr<List, T, H>, expr<M, T, J>>();
  return expr<join_axes<List, M>, T, join_axes<H, J>>{x.b, x.b->make(op::mul, x.b->shape(x.id) | x.b->shape(y.id), T::id, 0, x.id, y.id)};
}

}  // namespace dyadic
