// A value under another axis's name.
#pragma once
#include "dyadic/expr/ops/window.hpp"

namespace dyadic {

/// rename<From, To>(x): the same values; To is as long as From. Axes: x's with To for From.
/// Errors: an axis x lacks, a new axis it has, static extents that differ (use slice for a part of an axis).
template <class From, class To, class List, class T, class H> constexpr auto rename(expr<List, T, H> x, int line = __builtin_LINE()) {
  static_assert(extents_agree<From, From::static_extent, To::static_extent>, "rename: the axes have different extents");
  return detail::window_of<From, To>(x, 0, -1, 0, line);
}

}  // namespace dyadic
