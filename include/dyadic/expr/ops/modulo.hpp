// x - y floor(x / y): the remainder with the sign of y.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::modulo> : map_op_info<2> {
  static constexpr double flops = 8;
  static constexpr bool zero_through(node const&, int operand) { return operand == 0; }
  template <class T> DYADIC_DEVICE static T apply(T x, T y) {
    T const r = math::fmod(x, y);   // exact
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), y = g.arg(i, 1);
    g.give(x, d);
    if (g.wants(y)) g.give(y, g.neg(g.mul(d, g.map(op::floor, g.div(x, y)))));
  }
};

/// The remainder of x / y with the sign of y, element by element.
template <class List, class T, class H, class M, class J> constexpr auto modulo(expr<List, T, H> x, expr<M, T, J> y) {
  return map_op<op::modulo>(x, y);
}
template <class List, class T, class H> constexpr auto modulo(expr<List, T, H> x, double y) { return modulo(x, number(x, y)); }
template <class List, class T, class H> constexpr auto modulo(double x, expr<List, T, H> y) { return modulo(number(y, x), y); }

}  // namespace dyadic
