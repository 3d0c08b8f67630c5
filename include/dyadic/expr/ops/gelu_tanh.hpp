// The tanh form of gelu: x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), written x sigmoid(2 u), which keeps the left tail.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/ops/sigmoid.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::gelu_tanh> : map_op_info<1> {
  static constexpr double flops = 16;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) {
    return x * op_info<op::sigmoid>::apply(T(1.59576912160573071176) * (x + T(0.044715) * x * x * x));
  }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.map(op::gelu_tanh_slope, g.arg(i, 0)))); }
};

/// GELU of every element by the approximation with tanh (GPT-2's).
template <class List, class H> constexpr auto gelu_tanh(expr<List, f32, H> x) { return map_op<op::gelu_tanh>(x); }

}  // namespace dyadic
