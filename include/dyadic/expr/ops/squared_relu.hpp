// max(x, 0)^2.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::squared_relu> : map_op_info<1> {
  static constexpr double flops = 2;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return x < 0 ? T(0) : x * x; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.scale(g.map(op::relu, g.arg(i, 0)), 2))); }
};

/// max(x, 0)^2 of every element.
template <class List, class H> constexpr auto squared_relu(expr<List, f32, H> x) { return map_op<op::squared_relu>(x); }

}  // namespace dyadic
