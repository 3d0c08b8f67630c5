// -1, 0 or 1. Its derivative is 0: no gradient passes.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::sign> : map_op_info<1> {
  static constexpr double flops = 1;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return static_cast<T>(x > 0) - static_cast<T>(x < 0); }
};

/// The sign of every element: -1, 0 or 1.
template <class List, class T, class H> constexpr auto sign(expr<List, T, H> x) {
  static_assert(!dtype_is<T, boolean>, "sign: a boolean has no arithmetic: cast it first");
  return map_op<op::sign>(x);
}

}  // namespace dyadic
