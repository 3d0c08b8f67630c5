// 1 / sqrt(x).
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::rsqrt> : map_op_info<1> {
  static constexpr double flops = 6;
  template <class T> DYADIC_DEVICE static T apply(T x) { return T(1) / math::sqrt(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.scale(g.mul(g.mul(g.mul(d, i), i), i), -0.5)); }
};

/// One over the square root of every element.
template <class List, class H> constexpr auto rsqrt(expr<List, f32, H> x) { return map_op<op::rsqrt>(x); }

}  // namespace dyadic
