// Expressions: a type that carries axes and element type, a value that is the number of a node in the graph being traced.
#pragma once
#include <type_traits>

#include "dyadic/expr/builder.hpp"

namespace dyadic {

/// Axes: what the value visibly ranges over. T: element type. Along: the scans and repeats it lives in (hidden axes,
/// one position at a time).
template <class Axes, class T = f32, class Along = along<>> struct expr {
  using shape = Axes;
  using element = T;
  using hidden = Along;
  builder* b = nullptr;
  int id = -1;
};

template <class X> inline constexpr bool is_expr = false;
template <class List, class T, class H> inline constexpr bool is_expr<expr<List, T, H>> = true;
template <class X> concept expression = is_expr<X>;

// The conditions of the static_asserts. Each name is the requirement, so that a compiler's "evaluates to false" reads as a sentence.
template <class Axis, class In> inline constexpr bool axis_is_in = has_axis<In, Axis>;
template <class Axis, class In> inline constexpr bool axis_is_new_to = !has_axis<In, Axis>;
template <class List, class R> inline constexpr bool axes_nest = axes_inside<List, R> || axes_inside<R, List>;
template <class T, class U> inline constexpr bool dtypes_agree = std::is_same_v<T, U>;
template <class T, class U> inline constexpr bool dtype_is = std::is_same_v<T, U>;
template <class List> inline constexpr bool axes_are_distinct = detail::unique<List>::value;
/// False where a value that still shows an axis meets one from inside a scan or repeat over that axis.
template <class List, class Open> inline constexpr bool one_position_inside_its_scan = !detail::meet<List, Open>;
template <class A, int Size, int M> inline constexpr bool extents_agree = Size < 0 || M < 0 || Size == M;

namespace detail {
// Returns auto, as all functions that check types do: a function with a declared return type is instantiated late, when a constant is
// evaluated, and its errors come with a trail of calls.
template <class X, class Y> constexpr auto check_operands() {
  using open = join_axes<typename X::hidden, typename Y::hidden>;
  static_assert(one_position_inside_its_scan<join_axes<typename X::shape, typename Y::shape>, open>,
                "a whole-sequence value is used inside a scan over that sequence: pass it through the scan, or use position_of(value)");
}
template <class X, class Y> using joint_hidden = join_axes<typename X::hidden, typename Y::hidden>;
}  // namespace detail

/// A pointwise operation on one operand.
template <op Kind, class Out = void, class List, class T, class H> constexpr auto map_op(expr<List, T, H> x, double value = 0) {
  using R = std::conditional_t<std::is_void_v<Out>, T, Out>;
  return expr<List, R, H>{x.b, x.b->make(Kind, x.b->shape(x.id), R::id, value, x.id)};
}
/// A pointwise operation on two operands, one of which has all axes of the other.
template <op Kind, class Out = void, class List, class T, class H, class M, class U, class J>
constexpr auto map_op(expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(axes_nest<List, M>, "pointwise operands: one must have all the axes of the other");
  static_assert(dtypes_agree<T, U>, "pointwise operands of different element types: convert one with cast<T>(x)");
  static_assert(one_position_inside_its_scan<join_axes<List, M>, join_axes<H, J>>,
                "a whole-sequence value is used inside a scan over that sequence: pass it through the scan, or use position_of(value)");
  using R = std::conditional_t<std::is_void_v<Out>, T, Out>;
  return expr<join_axes<List, M>, R, join_axes<H, J>>{x.b, x.b->make(Kind, x.b->shape(x.id) | x.b->shape(y.id), R::id, 0, x.id, y.id)};
}
/// A number with x's element type, for the scalar side of an operator.
template <class List, class T, class H> constexpr auto number(expr<List, T, H> x, double v) {
  return expr<axes<>, T, along<>>{x.b, x.b->constant(v, T::id)};
}
/// A number as an f32 expression in x's graph.
template <class List, class T, class H> constexpr auto real(expr<List, T, H> x, double v) { return expr<axes<>>{x.b, x.b->constant(v)}; }

/// A constant over the axes A...: `zeros<batch, hidden>(x)`; x only says which graph.
template <class... A, class List, class T, class H> constexpr auto full(expr<List, T, H> x, double v) {
  static_assert(axes_are_distinct<axes<A...>>, "an axis is named twice");
  return expr<axes<A...>>{x.b, x.b->make(op::constant, axis_bits(*x.b, axes<A...>{}), dtype::f32, v)};
}
template <class... A, expression X> constexpr auto zeros(X x) { return full<A...>(x, 0); }
template <class... A, expression X> constexpr auto ones(X x) { return full<A...>(x, 1); }
/// A constant with the visible axes and element type of x.
template <class List, class T, class H> constexpr auto full_like(expr<List, T, H> x, double v) {
  return expr<List, T>{x.b, x.b->make(op::constant, axis_bits(*x.b, List{}), T::id, v)};
}
template <expression X> constexpr auto zeros_like(X x) { return full_like(x, 0); }
template <expression X> constexpr auto ones_like(X x) { return full_like(x, 1); }

}  // namespace dyadic
