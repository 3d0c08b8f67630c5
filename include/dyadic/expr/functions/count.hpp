// How many elements some axes hold, for means.
#pragma once
#include "dyadic/expr/functions/operators.hpp"
#include "dyadic/expr/ops/extent.hpp"
#include "dyadic/expr/ops/maximum.hpp"

namespace dyadic::detail {

template <class A, class X, class Y> constexpr auto times_extent(X x, Y n) {
  if constexpr (A::static_extent < 0) return n * extent<A>(x);
  else return n * double(A::static_extent);
}
template <class X, class Y> constexpr auto times_extents(X, Y n, axes<>) { return n; }
template <class X, class Y, class A, class... B> constexpr auto times_extents(X x, Y n, axes<A, B...>) {
  return times_extents(x, times_extent<A>(x, n), axes<B...>{});
}
/// x divided by the number of elements of A..., or by 1 where there is none: the mean of nothing is 0.
template <class... A, class X> constexpr auto over_count(X x) {
  if constexpr (((A::static_extent > 0) && ...)) {
    return x * (1.0 / (1.0 * ... * A::static_extent));
  } else {
    return x / maximum(times_extents(x, real(x, 1), axes<A...>{}), 1);
  }
}

}  // namespace dyadic::detail
