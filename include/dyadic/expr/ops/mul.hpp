// x * y. Its derivative for an operand that lacks axes is a contraction over them, never a stored product.
#pragma once

#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::mul> : map_op_info<2> {
  static constexpr double flops = 1;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return x * y; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), y = g.arg(i, 1);
    if (g.wants(x)) g.give(x, g.dot(d, y, g.shape(x)));
    if (g.wants(y)) g.give(y, g.dot(d, x, g.shape(y)));
  }
};

}  // namespace dyadic
