// The mean over axes.
#pragma once
#include "dyadic/expr/functions/count.hpp"
#include "dyadic/expr/ops/sum.hpp"

namespace dyadic {

/// mean<A, B>(x): over A and B; the mean of nothing is 0. Errors: an axis x does not have.
template <class... A, class List, class H> constexpr auto mean(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert((axis_is_in<A, List> && ...), "mean: the value has no such axis");
  static_assert(sizeof...(A) > 0, "mean: name the axes");
  return detail::over_count<A...>(sum<A...>(x, line));
}

}  // namespace dyadic
