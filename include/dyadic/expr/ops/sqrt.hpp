// The square root. Its derivative at 0 is infinite.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::sqrt> : map_op_info<1> {
  static constexpr double flops = 4;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::sqrt(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.div(g.scale(d, 0.5), i)); }
};

/// The square root of every element.
template <class List, class H> constexpr auto sqrt(expr<List, f32, H> x) { return map_op<op::sqrt>(x); }

}  // namespace dyadic
