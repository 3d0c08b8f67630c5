// scan: one position of a sequence at a time. It adds no node: it hides the axis from the type while the step is traced.
#pragma once
#include "dyadic/expr/expr.hpp"

namespace dyadic {

/// A pair of values carried or scanned together: `values(h, c)`.
template <class X, class Y> struct values_of { X first; Y second; };
template <expression X, expression Y> constexpr auto values(X x, Y y) { return values_of<X, Y>{x, y}; }

namespace detail {
template <class S, class List, class T, class H> constexpr auto hide(expr<List, T, H> x) {
  return expr<drop_axes<List, axes<S>>, T, join_axes<H, along<S>>>{x.b, x.id};
}
/// The result shows the axis again; axes that the input has too keep the order they have there.
template <class S, class Like, class List, class T, class H> constexpr auto show(expr<List, T, H> z) {
  using all = join_axes<axes<S>, List>;
  using shape = join_axes<drop_axes<Like, drop_axes<Like, all>>, all>;
  builder& b = *z.b;
  int const s = axis_id<S>(b);
  int id = z.id;
  if (!(b.shape(id) & bit_of(s))) id = b.make(op::spread, b.shape(id) | bit_of(s), T::id, 0, id);   // the step ignored its position
  return expr<shape, T, drop_axes<H, along<S>>>{z.b, id};
}
template <class S> struct opened {
  builder& b;
  axis_set before;
  constexpr explicit opened(builder& graph) : b(graph), before(graph.open) {
    axis_info& a = b.axes[axis_id<S>(b)];
    if (a.role == axis_role::plain) a.role = axis_role::scan;
    b.open |= bit_of(axis_id<S>(b));
  }
  opened(opened const&) = delete;
  opened& operator=(opened const&) = delete;
  constexpr ~opened() { b.open = before; }
};
template <class S, class Like, expression Z> constexpr auto shown(Z z) { return show<S, Like>(z); }
template <class S, class Like, class X, class Y> constexpr auto shown(values_of<X, Y> z) {
  return values(show<S, Like>(z.first), show<S, Like>(z.second));
}
}  // namespace detail

/// scan<seq>(x, step): step(x_t) is traced once, for one position; the result has the axis again.
/// Inside, a whole-sequence value cannot be used by accident: its type still shows the axis.
template <class S, class List, class T, class H, class F> constexpr auto scan(expr<List, T, H> x, F&& step) {
  static_assert(axis_is_in<S, List>, "scan: the value has no such axis");
  detail::opened<S> guard(*x.b);
  return detail::shown<S, List>(step(detail::hide<S>(x)));
}
/// The same over two sequences, or with a memory: step(x_t, y_t), step(x_t, memory).
template <class S, class List, class T, class H, class Y, class F> constexpr auto scan(expr<List, T, H> x, Y y, F&& step) {
  static_assert(axis_is_in<S, List>, "scan: the value has no such axis");
  detail::opened<S> guard(*x.b);
  if constexpr (is_expr<Y>) {
    static_assert(axis_is_in<S, typename Y::shape>, "scan: the second value has no such axis");
    return detail::shown<S, List>(step(detail::hide<S>(x), detail::hide<S>(y)));
  } else {
    return detail::shown<S, List>(step(detail::hide<S>(x), y));
  }
}

/// The index along S of the current position, inside a scan or repeat over S; x says which graph.
template <class S, expression X> constexpr auto position(X x) {
  builder& b = *x.b;
  int const s = axis_id<S>(b);
  node n;
  n.kind = op::iota; n.type = dtype::i32; n.axis = static_cast<std::int8_t>(s); n.axes = bit_of(s);
  return expr<axes<>, i32, along<S>>{x.b, b.push(n)};
}
/// The current position of a given whole-sequence value, inside a scan over S that was opened on another.
template <class S, class List, class T, class H> constexpr auto position_of(expr<List, T, H> whole) {
  static_assert(axis_is_in<S, List>, "position_of: the value has no such axis");
  return detail::hide<S>(whole);
}

}  // namespace dyadic
