// 1 / x, and 0 for 0: a softmax's scale, so that a row without a term is 0.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::reciprocal_or_zero> : map_op_info<1> {
  static constexpr double flops = 2;
  template <class T> DYADIC_DEVICE static T apply(T x) { return x == 0 ? T(0) : 1 / x; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.neg(g.mul(d, g.mul(i, i)))); }
};

}  // namespace dyadic
