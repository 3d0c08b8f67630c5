// e^(x - y), and 0 where x is -inf, whatever y: the terms of a softmax, y being the row's maximum. Kernels of whole rows are made with it.
#pragma once
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::shifted_exp> : map_op_info<2> {
  static constexpr double flops = 10;
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return x == -math::infinity<T> ? T(0) : math::exp(x - y); }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const slope = g.mul(d, i);
    g.give_arg(i, 0, slope);
    if (g.wants(g.arg(i, 1))) g.give_arg(i, 1, g.neg(slope));
  }
};

}  // namespace dyadic
