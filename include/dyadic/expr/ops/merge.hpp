// Two axes as one, row after row: r[axis = t] = x[aux = t / extent(inner), inner = t % extent(inner)], 0 past the last row.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::merge> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.like(i, op::split, g.shape(g.arg(i, 0)), d)); }
};

/// merge<Outer, Inner, To>(x): the rows of Outer and Inner one after the other along To. Axes: x's with To for Outer and Inner.
/// Errors: an axis x lacks, a new axis it has, static extents that do not fit.
template <class Outer, class Inner, class To, class List, class T, class H>
constexpr auto merge(expr<List, T, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<Outer, List> && axis_is_in<Inner, List>, "merge: the value has no such axis");
  static_assert(axis_is_new_to<To, List>, "merge: the value has the new axis already");
  static_assert(axis_is_new_to<To, H>, "merge: the new axis is that of a scan around the value");
  constexpr int to = To::static_extent, outer = Outer::static_extent, inner = Inner::static_extent;
  static_assert(to < 0 || outer < 0 || inner < 0 || outer * inner >= to, "merge: the new axis is longer than outer * inner");
  builder& b = *x.b;
  node n;
  n.kind = op::merge; n.type = T::id; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axis = static_cast<std::int8_t>(axis_id<To>(b));
  n.aux = static_cast<std::int8_t>(axis_id<Outer>(b)); n.inner = static_cast<std::int8_t>(axis_id<Inner>(b));
  n.axes = (b.shape(x.id) & ~bit_of(n.aux) & ~bit_of(n.inner)) | bit_of(n.axis);
  return expr<join_axes<drop_axes<List, axes<Outer, Inner>>, axes<To>>, T, H>{x.b, b.push(n)};
}

}  // namespace dyadic
