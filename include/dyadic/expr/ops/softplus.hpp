// log(1 + e^x), without overflow and with the digits of the left tail.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::softplus> : map_op_info<1> {
  static constexpr double flops = 14;
  template <class T> DYADIC_DEVICE static T apply(T x) { return (x < 0 ? T(0) : x) + math::log1p(math::exp(-math::abs(x))); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.map(op::sigmoid, g.arg(i, 0)))); }
};

/// log(1 + e^x) of every element.
template <class List, class H> constexpr auto softplus(expr<List, f32, H> x) { return map_op<op::softplus>(x); }

}  // namespace dyadic
