// |x|. The derivative at 0 is 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::abs> : map_op_info<1> {
  static constexpr double flops = 1;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::abs(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.map(op::sign, g.arg(i, 0)))); }
};

/// The magnitude of every element.
template <class List, class T, class H> constexpr auto abs(expr<List, T, H> x) {
  static_assert(!dtype_is<T, boolean>, "abs: a boolean has no arithmetic: cast it first");
  return map_op<op::abs>(x);
}

}  // namespace dyadic
