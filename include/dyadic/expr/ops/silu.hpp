// x * sigmoid(x), also called swish.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/ops/sigmoid.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::silu> : map_op_info<1> {
  static constexpr double flops = 11;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return x * op_info<op::sigmoid>::apply(x); }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.mul(d, g.map(op::silu_slope, g.arg(i, 0)))); }
};

/// x * sigmoid(x) of every element.
template <class List, class H> constexpr auto silu(expr<List, f32, H> x) { return map_op<op::silu>(x); }

}  // namespace dyadic
