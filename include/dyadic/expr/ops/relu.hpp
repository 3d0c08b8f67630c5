// max(x, 0); NaN stays NaN. The derivative at 0 is 0.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::relu> : map_op_info<1> {
  static constexpr double flops = 1;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return x < 0 ? T(0) : x; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), zero = g.number(0);
    g.give(x, g.select(g.compare(op::less, zero, x), d, zero));
  }
};

/// max(x, 0) of every element.
template <class List, class H> constexpr auto relu(expr<List, f32, H> x) { return map_op<op::relu>(x); }

}  // namespace dyadic
