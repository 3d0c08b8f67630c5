// x - y.
#pragma once

#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::sub> : map_op_info<2> {
  static constexpr double flops = 1;
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return x - y; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    g.give_arg(i, 0, d);
    if (g.wants(g.arg(i, 1))) g.give_arg(i, 1, g.neg(d));
  }
};

}  // namespace dyadic
