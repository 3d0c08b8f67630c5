// 1 / x.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::reciprocal> : map_op_info<1> {
  static constexpr double flops = 4;
  template <class T> DYADIC_DEVICE static T apply(T x) { return T(1) / x; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.neg(g.mul(g.mul(d, i), i))); }
};

/// One over every element.
template <class List, class H> constexpr auto reciprocal(expr<List, f32, H> x) { return map_op<op::reciprocal>(x); }

}  // namespace dyadic
