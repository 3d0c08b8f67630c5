// Dropout.
#pragma once
#include "dyadic/expr/functions/operators.hpp"
#include "dyadic/expr/ops/dropout_mask.hpp"
#include "dyadic/expr/random.hpp"

namespace dyadic {

/// In training each element of x is 0 with probability rate and otherwise x / (1 - rate); outside of training it is x.
/// Source: Srivastava et al. 2014.
template <class List, class H> constexpr auto dropout(expr<List, f32, H> x, double rate) {
  int const mask = draw(*x.b, op::dropout_mask, x.b->shape(x.id) & ~pair_bit, dtype::f32, rate);
  return x * expr<List, f32, H>{x.b, mask};
}

}  // namespace dyadic
