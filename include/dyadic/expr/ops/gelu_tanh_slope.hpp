// The derivative of gelu_tanh: s + x s (1 - s) v' with s = sigmoid(v), v = 2 sqrt(2 / pi) (x + 0.044715 x^3).
#pragma once

#include "dyadic/expr/ops/sigmoid.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::gelu_tanh_slope> : map_op_info<1> {
  static constexpr double flops = 30;
  template <class T> DYADIC_DEVICE static T apply(T x) {
    if (x > 40) return 1;    // exactly so in double and float; beyond, v' could overflow against a vanished s
    if (x < -40) return 0;
    T const v = T(1.59576912160573071176) * (x + T(0.044715) * x * x * x);
    T const slope = T(1.59576912160573071176) * (1 + T(0.134145) * x * x);
    T const s = op_info<op::sigmoid>::apply(v);
    return s + x * s * op_info<op::sigmoid>::apply(-v) * slope;
  }
  /// 2 s' v' + x (s'' v'^2 + s' v''), with s' = s (1 - s), s'' = s' (1 - 2 s); x is cut to [-40, 40], where all of it has vanished.
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const operand = g.arg(i, 0);
    int const x = g.map(op::minimum, g.map(op::maximum, operand, g.number(-40)), g.number(40)), square = g.mul(x, x);
    int const v = g.scale(g.add(x, g.scale(g.mul(square, x), 0.044715)), 1.59576912160573071176);
    int const v1 = g.scale(g.add(g.scale(square, 0.134145), g.number(1)), 1.59576912160573071176);
    int const v2 = g.scale(x, 0.26829 * 1.59576912160573071176);
    int const s = g.map(op::sigmoid, v), s1 = g.mul(s, g.sub(g.number(1), s));
    int const s2 = g.mul(s1, g.sub(g.number(1), g.scale(s, 2)));
    int const bend = g.mul(x, g.add(g.mul(s2, g.mul(v1, v1)), g.mul(s1, v2)));
    g.give(operand, g.mul(d, g.add(g.scale(g.mul(s1, v1), 2), bend)));
  }
};

}  // namespace dyadic
