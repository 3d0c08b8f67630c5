// The derivative of silu: s + x s (1 - s) with s = sigmoid(x). For every finite x the factors stay finite.
#pragma once

#include "dyadic/expr/ops/sigmoid.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::silu_slope> : map_op_info<1> {
  static constexpr double flops = 14;
  template <class T> DYADIC_DEVICE static T apply(T x) {
    T const s = op_info<op::sigmoid>::apply(x);
    return s * (1 + x * op_info<op::sigmoid>::apply(-x));   // 1 - s without cancellation
  }
  /// s (1 - s) (2 + x (1 - 2 s))
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), s = g.map(op::sigmoid, x);
    int const slope = g.mul(s, g.sub(g.number(1), s));
    int const bend = g.add(g.mul(x, g.sub(g.number(1), g.scale(s, 2))), g.number(2));
    g.give(x, g.mul(d, g.mul(slope, bend)));
  }
};

}  // namespace dyadic
