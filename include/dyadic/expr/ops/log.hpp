// The natural logarithm; log 0 = -inf.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::log> : map_op_info<1> {
  static constexpr double flops = 8;
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::log(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.div(d, g.arg(i, 0))); }
};

/// The natural logarithm of every element.
template <class List, class H> constexpr auto log(expr<List, f32, H> x) { return map_op<op::log>(x); }

}  // namespace dyadic
