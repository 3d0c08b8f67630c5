// x / y.
#pragma once

#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::div> : map_op_info<2> {
  static constexpr double flops = 4;
  static constexpr bool zero_through(node const&, int operand) { return operand == 0; }
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return x / y; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const y = g.arg(i, 1);
    int const share = g.div(d, y);
    g.give_arg(i, 0, share);
    if (g.wants(y)) g.give(y, g.neg(g.dot(share, i, g.shape(y))));
  }
};

}  // namespace dyadic
