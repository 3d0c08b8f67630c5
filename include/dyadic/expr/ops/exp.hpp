// e^x.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::exp> : map_op_info<1> {
  static constexpr double flops = 8;
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::exp(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, i)); }
};

/// e to the power of every element.
template <class List, class H> constexpr auto exp(expr<List, f32, H> x) { return map_op<op::exp>(x); }

}  // namespace dyadic
