// A stretch of an axis.
#pragma once
#include "dyadic/expr/ops/window.hpp"

namespace dyadic {

/// slice<From, To>(x, offset): x at From = offset + the position along To; 0 where that lies outside. Axes: x's with To for From.
/// Errors: an axis x lacks, a new axis it has, a stretch longer than the axis.
template <class From, class To, class List, class T, class H>
constexpr auto slice(expr<List, T, H> x, int offset = 0, int line = __builtin_LINE()) {
  static_assert(From::static_extent < 0 || To::static_extent <= From::static_extent, "slice: the stretch is longer than the axis");
  return detail::window_of<From, To>(x, offset, -1, 0, line);
}

}  // namespace dyadic
