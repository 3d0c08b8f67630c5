// The error function.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::erf> : map_op_info<1> {
  static constexpr double flops = 16;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::erf(x); }
  /// 2 / sqrt(pi) e^(-x^2)
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0);
    g.give(x, g.mul(d, g.scale(g.map(op::exp, g.neg(g.mul(x, x))), 1.12837916709551257390)));
  }
};

/// The error function of every element.
template <class List, class H> constexpr auto erf(expr<List, f32, H> x) { return map_op<op::erf>(x); }

}  // namespace dyadic
