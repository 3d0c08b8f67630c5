// x + y.
#pragma once

#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::add> : map_op_info<2> {
  static constexpr double flops = 1;
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return x + y; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    g.give_arg(i, 0, d);
    g.give_arg(i, 1, d);
  }
};

}  // namespace dyadic
