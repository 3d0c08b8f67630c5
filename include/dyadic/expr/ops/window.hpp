// A stretch of an axis under another axis's name: r[axis = i] = x[aux = i + value + slot * extent(inner)], 0 outside; without `inner` the
// last term is absent, with it slot is +1 or -1. rename, slice and concatenate are made of it.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::window> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr bool crosses(node const& n, int axis) { return n.axis == axis && n.aux == axis && (n.value != 0 || n.inner >= 0); }
  /// The window back: the same stretch, seen from the other axis.
  static constexpr void adjoint(gradient& g, int i, int d) {
    node n = g.at(i);
    std::int8_t const from = n.aux;
    n.aux = n.axis; n.axis = from;
    n.value = 0 - n.value;
    if (n.inner >= 0) n.slot = static_cast<std::int16_t>(-n.slot);
    n.type = dtype::f32; n.axes = g.shape(n.arg[0]); n.arg[0] = static_cast<std::int16_t>(d);
    g.give_arg(i, 0, g.b.push(n));
  }
};

namespace detail {
/// The window of x's axis From as To, moved by `value`, and by `sign` extents of the axis with number `by` (if not -1).
template <class From, class To, class List, class T, class H>
constexpr auto window_of(expr<List, T, H> x, double value, int by, int sign, int line) {
  static_assert(axis_is_in<From, List>, "rename, slice, concatenate: the value has no such axis");
  static_assert(axis_is_new_to<To, List>, "rename, slice, concatenate: the value has the new axis already");
  static_assert(axis_is_new_to<To, H>, "rename, slice, concatenate: the new axis is that of a scan around the value");
  using R = std::conditional_t<has_axis<List, From> && !has_axis<List, To>, swap_axis<List, From, To>, List>;   // one mistake, one message
  builder& b = *x.b;
  node n;
  n.kind = op::window; n.type = T::id; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.value = value; n.line = line;
  n.aux = static_cast<std::int8_t>(axis_id<From>(b)); n.axis = static_cast<std::int8_t>(axis_id<To>(b));
  n.inner = static_cast<std::int8_t>(by);
  if (by >= 0) n.slot = static_cast<std::int16_t>(sign);
  n.axes = (b.shape(x.id) & ~bit_of(n.aux)) | bit_of(n.axis);
  return expr<R, T, H>{x.b, b.push(n)};
}
}  // namespace detail

}  // namespace dyadic
