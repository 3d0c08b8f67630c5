// The derivative of gelu: Phi(x) + x phi(x).
#pragma once
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::gelu_slope> : map_op_info<1> {
  static constexpr double flops = 30;
  template <class T> DYADIC_DEVICE static T apply(T x) {
    T const density = math::exp(x * x * T(-0.5)) * T(0.39894228040143267794);   // 0, not NaN, when x * x overflows
    return T(0.5) * math::erfc(x * T(-0.70710678118654752440)) + x * density;
  }
  /// phi(x) (2 - x^2); phi underflows long before x^2 = 1600, where the square is cut so that no 0 * inf arises.
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), square = g.map(op::minimum, g.mul(x, x), g.number(1600));
    int const density = g.scale(g.map(op::exp, g.scale(square, -0.5)), 0.39894228040143267794);
    g.give(x, g.mul(d, g.mul(density, g.sub(g.number(2), square))));
  }
};

}  // namespace dyadic
