// The larger of x and y; NaN where either is NaN. Where they are equal each gets half of the gradient.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::maximum> : map_op_info<2> {
  static constexpr double flops = 1;
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return (x < y || y != y) ? y : x; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), y = g.arg(i, 1);
    if (g.wants(x)) g.give(x, g.mul(d, share(g, x, y)));
    if (g.wants(y)) g.give(y, g.mul(d, share(g, y, x)));
  }

 private:
  /// 1 where x is chosen, 1/2 where they are equal.
  static constexpr int share(gradient& g, int x, int y) {
    return g.scale(g.add(g.as_real(g.compare(op::less, y, x)), g.as_real(g.compare(op::less_equal, y, x))), 0.5);
  }
};

/// The larger of two values, element by element. One must have all the axes of the other.
template <class List, class T, class H, class M, class J> constexpr auto maximum(expr<List, T, H> x, expr<M, T, J> y) {
  return map_op<op::maximum>(x, y);
}
template <class List, class T, class H> constexpr auto maximum(expr<List, T, H> x, double y) { return maximum(x, number(x, y)); }
template <class List, class T, class H> constexpr auto maximum(double x, expr<List, T, H> y) { return maximum(number(y, x), y); }

}  // namespace dyadic
