// 1 / (1 + e^-x), with full relative precision on both sides.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::sigmoid> : map_op_info<1> {
  static constexpr double flops = 10;
  template <class T> DYADIC_DEVICE static T apply(T x) {
    T const e = math::exp(-math::abs(x));   // never overflows
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
  }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.mul(i, g.sub(g.number(1), i)))); }
};

/// The logistic function of every element.
template <class List, class H> constexpr auto sigmoid(expr<List, f32, H> x) { return map_op<op::sigmoid>(x); }

}  // namespace dyadic
