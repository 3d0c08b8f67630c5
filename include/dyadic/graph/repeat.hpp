// repeat: a block applied along a depth axis, traced once whatever the depth. A scan along that axis whose state is the value itself.
#pragma once
#include "dyadic/graph/carry.hpp"

namespace dyadic {

namespace detail {
template <class S> struct repeating {
  builder& b;
  axis_set open, repeats;
  constexpr explicit repeating(builder& graph) : b(graph), open(graph.open), repeats(graph.repeats) {
    int const s = axis_id<S>(b);
    b.axes[s].role = axis_role::repeat;
    b.open |= bit_of(s);
    b.repeats |= bit_of(s);
  }
  repeating(repeating const&) = delete;
  repeating& operator=(repeating const&) = delete;
  constexpr ~repeating() { b.open = open; b.repeats = repeats; }
};
/// The value after the last iteration; `first` where there is none.
template <class S, class List, class T, class H, class M, class U, class J>
constexpr auto last_or(expr<List, T, H> z, expr<M, U, J> first) {
  builder& b = *z.b;
  int const s = axis_id<S>(b);
  node n;
  n.kind = op::pick; n.type = T::id; n.axis = static_cast<std::int8_t>(s); n.value = -1; n.nargs = 2;
  n.arg[0] = static_cast<std::int16_t>(z.id);
  n.arg[1] = static_cast<std::int16_t>(first.id);
  n.axes = (b.shape(z.id) | b.shape(first.id)) & ~bit_of(s);
  return expr<M, T, drop_axes<join_axes<H, J>, along<S>>>{z.b, b.push(n)};
}
template <class Returned, class Given> inline constexpr bool block_returns_the_axes_it_was_given = same_axes<Returned, Given>;
}  // namespace detail

/// repeat<layer>(x, block): block(block(... block(x))), as often as the axis is long; an extent of 0 gives x.
/// Parameters of a module under stack<layer, ...> have one value per iteration; parameters from elsewhere are shared by all.
template <class S, class List, class T, class H, class F>
constexpr auto repeat(expr<List, T, H> x, F&& block, int line = __builtin_LINE()) {
  static_assert(axis_is_new_to<S, List>, "repeat: the value already has the repeated axis");
  detail::repeating<S> guard(*x.b);
  auto h = carry<S>(x, line);
  auto z = block(read(h));
  static_assert(detail::block_returns_the_axes_it_was_given<typename decltype(z)::shape, List>,
                "repeat: the block must return the axes it was given");
  write(h, z, line);
  return detail::last_or<S>(z, x);
}
/// Two values carried together: block(h, c) returns values(h, c).
template <class S, class X, class Y, class F> constexpr auto repeat(values_of<X, Y> x, F&& block, int line = __builtin_LINE()) {
  detail::repeating<S> guard(*x.first.b);
  auto h = carry<S>(x.first, line);
  auto c = carry<S>(x.second, line);
  auto z = block(read(h), read(c));
  write(h, z.first, line);
  write(c, z.second, line);
  return values(detail::last_or<S>(z.first, x.first), detail::last_or<S>(z.second, x.second));
}
/// repeat<executed, layer>(x, block): runs over `executed`, while parameters keep the axis `layer` and are read at executed mod its extent.
template <class Executed, class P, class X, class F> constexpr auto repeat(X x, F&& block, int line = __builtin_LINE()) {
  auto const& anchor = [&]() -> auto const& { if constexpr (is_expr<X>) return x; else return x.first; }();
  builder& b = *anchor.b;
  int const p = axis_id<P>(b);
  auto e = position<Executed>(anchor);
  node n;
  n.kind = op::extent; n.axis = static_cast<std::int8_t>(p); n.type = dtype::i32;
  int const length = b.push(n);
  std::int16_t const before = b.tied[p];
  b.tied[p] = static_cast<std::int16_t>(b.make(op::modulo, b.shape(e.id), dtype::i32, 0, e.id, length));
  auto z = repeat<Executed>(x, static_cast<F&&>(block), line);
  b.tied[p] = before;
  return z;
}

}  // namespace dyadic
