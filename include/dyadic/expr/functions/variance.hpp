// The variance over axes.
#pragma once
#include "dyadic/expr/functions/mean.hpp"
#include "dyadic/expr/ops/contract.hpp"

namespace dyadic {

/// variance<A, B>(x): the mean of (x - mean)^2 over A and B (biased: divided by the number of elements); of nothing, 0.
/// Errors: an axis x does not have.
template <class... A, class List, class H> constexpr auto variance(expr<List, f32, H> x, int line = __builtin_LINE()) {
  auto const centred = x - mean<A...>(x, line);
  return detail::over_count<A...>(contract<A...>(centred, centred, line));   // a contraction: the squares are never stored
}

}  // namespace dyadic
