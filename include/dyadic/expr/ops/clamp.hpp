// min(max(x, lo), hi). The gradient goes to x inside [lo, hi], ends included, else to the bound that holds.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::clamp> : map_op_info<3> {
  static constexpr double flops = 2;
  template <class T> DYADIC_DEVICE static T apply(T x, T lo, T hi) {
    T const r = x < lo ? lo : x;   // NaN stays
    return hi < r ? hi : r;
  }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), lo = g.arg(i, 1), hi = g.arg(i, 2), zero = g.number(0);
    int const below = g.compare(op::less, x, lo), above = g.compare(op::less, hi, x);
    if (g.wants(x)) g.give(x, g.select(below, zero, g.select(above, zero, d)));
    if (g.wants(lo)) g.give(lo, g.select(below, g.select(g.compare(op::less, hi, lo), zero, d), zero));
    if (g.wants(hi)) g.give(hi, g.select(g.compare(op::less, hi, g.map(op::maximum, x, lo)), d, zero));
  }
};

/// x cut to [lo, hi], element by element. x must have all the axes of the bounds.
template <class List, class T, class H, class M, class J, class Size, class G>
constexpr auto clamp(expr<List, T, H> x, expr<M, T, J> lo, expr<Size, T, G> hi) {
  static_assert(axes_inside<M, List> && axes_inside<Size, List>, "clamp: a bound has an axis that the value lacks");
  using open = join_axes<join_axes<H, J>, G>;
  static_assert(one_position_inside_its_scan<List, open>,
                "a whole-sequence value is used inside a scan over that sequence: pass it through the scan, or use position_of(value)");
  builder& b = *x.b;
  return expr<List, T, open>{x.b, b.make(op::clamp, b.shape(x.id) | b.shape(lo.id) | b.shape(hi.id), T::id, 0, x.id, lo.id, hi.id)};
}
template <class List, class T, class H> constexpr auto clamp(expr<List, T, H> x, double lo, double hi) {
  return clamp(x, number(x, lo), number(x, hi));
}

}  // namespace dyadic
