// x^y. 0^0 = 1; the derivative with respect to y is 0 where x <= 0, that with respect to x is 0 where y = 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::power> : map_op_info<2> {
  static constexpr double flops = 16;
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return math::pow(x, y); }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), y = g.arg(i, 1), zero = g.number(0), one = g.number(1);
    if (g.wants(x)) {
      int const slope = g.mul(g.map(op::power, x, g.sub(y, one)), y);
      g.give(x, g.mul(d, g.select(g.compare(op::equal, y, zero), zero, slope)));
    }
    if (g.wants(y)) {
      int const positive = g.compare(op::less, zero, x);
      int const slope = g.mul(i, g.map(op::log, g.select(positive, x, one)));   // the logarithm is never asked for what it lacks
      g.give(y, g.mul(d, g.select(positive, slope, zero)));
    }
  }
};

/// x^y, element by element. One must have all the axes of the other.
template <class List, class H, class M, class J>
constexpr auto power(expr<List, f32, H> x, expr<M, f32, J> y) {
  return map_op<op::power>(x, y);
}
template <class List, class H> constexpr auto power(expr<List, f32, H> x, double y) { return power(x, number(x, y)); }
template <class List, class H> constexpr auto power(double x, expr<List, f32, H> y) { return power(number(y, x), y); }

}  // namespace dyadic
