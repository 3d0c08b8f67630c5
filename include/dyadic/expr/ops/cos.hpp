// cos(x), x in radians.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::cos> : map_op_info<1> {
  static constexpr double flops = 10;
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::cos(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.neg(g.mul(d, g.map(op::sin, g.arg(i, 0))))); }
};

/// The cosine of every element.
template <class List, class H> constexpr auto cos(expr<List, f32, H> x) { return map_op<op::cos>(x); }

}  // namespace dyadic
