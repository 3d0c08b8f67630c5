// The cores of RMS and layer normalisation; their learned scales are modules.
#pragma once
#include "dyadic/expr/functions/mean.hpp"
#include "dyadic/expr/ops/contract.hpp"
#include "dyadic/expr/ops/rsqrt.hpp"

namespace dyadic {

/// rms_normalize<A>(x): x / sqrt(mean over A of x^2 + eps). Axes: x's. Errors: an axis x does not have.
/// Source: Zhang and Sennrich 2019, arXiv 1910.07467.
template <class... A, class List, class H> constexpr auto rms_normalize(expr<List, f32, H> x, double eps, int line = __builtin_LINE()) {
  return x * rsqrt(detail::over_count<A...>(contract<A...>(x, x, line)) + eps);
}
/// layer_normalize<A>(x): (x - mean) / sqrt(variance + eps) over A. Axes: x's. Errors: an axis x does not have.
/// Source: Ba, Kiros and Hinton 2016, arXiv 1607.06450.
template <class... A, class List, class H> constexpr auto layer_normalize(expr<List, f32, H> x, double eps, int line = __builtin_LINE()) {
  return rms_normalize<A...>(x - mean<A...>(x, line), eps, line);
}

}  // namespace dyadic
