// x * Phi(x), Phi the distribution function of the standard normal (the exact form). erfc keeps the digits of the left tail.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::gelu> : map_op_info<1> {
  static constexpr double flops = 20;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return T(0.5) * x * math::erfc(x * T(-0.70710678118654752440)); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.map(op::gelu_slope, g.arg(i, 0)))); }
};

/// x * Phi(x) of every element, by the error function.
template <class List, class H> constexpr auto gelu(expr<List, f32, H> x) { return map_op<op::gelu>(x); }

}  // namespace dyadic
