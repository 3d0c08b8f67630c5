// An axis as rows of a fixed length: r[aux = o, inner = i] = x[axis = o * extent(inner) + i], 0 past the end (the last row is padded).
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::split> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.like(i, op::merge, g.shape(g.arg(i, 0)), d)); }
};

/// split<From, Outer, Inner>(x): From as Outer rows of Inner. Axes: x's with Outer and Inner for From.
/// Errors: an axis x lacks, a new axis it has, static extents that do not fit.
template <class From, class Outer, class Inner, class List, class T, class H>
constexpr auto split(expr<List, T, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<From, List>, "split: the value has no such axis");
  static_assert(axis_is_new_to<Outer, List> && axis_is_new_to<Inner, List>, "split: the value has the new axis already");
  static_assert(axis_is_new_to<Outer, H> && axis_is_new_to<Inner, H>, "split: the new axis is that of a scan around the value");
  constexpr int from = From::static_extent, outer = Outer::static_extent, inner = Inner::static_extent;
  static_assert(from < 0 || outer < 0 || inner < 0 || (outer * inner >= from && (outer - 1) * inner < from),
                "split: outer * inner is not the extent of the axis, rounded up to a whole row");
  builder& b = *x.b;
  node n;
  n.kind = op::split; n.type = T::id; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axis = static_cast<std::int8_t>(axis_id<From>(b));
  n.aux = static_cast<std::int8_t>(axis_id<Outer>(b)); n.inner = static_cast<std::int8_t>(axis_id<Inner>(b));
  if (axis_info& rows = b.axes[n.aux]; rows.extent < 0 && rows.rule == extent_rule::bound) {   // as many rows as it takes
    rows.rule = extent_rule::quotient; rows.from = n.axis; rows.by = n.inner;
  }
  n.axes = (b.shape(x.id) & ~bit_of(n.axis)) | bit_of(n.aux) | bit_of(n.inner);
  return expr<join_axes<drop_axes<List, axes<From>>, axes<Outer, Inner>>, T, H>{x.b, b.push(n)};
}

}  // namespace dyadic
