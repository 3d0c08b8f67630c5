// tanh(x).
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::tanh> : map_op_info<1> {
  static constexpr double flops = 8;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::tanh(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.sub(g.number(1), g.mul(i, i)))); }
};

/// tanh of every element.
template <class List, class H> constexpr auto tanh(expr<List, f32, H> x) { return map_op<op::tanh>(x); }

}  // namespace dyadic
