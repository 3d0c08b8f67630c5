// Dropout as a module, so that its rate is part of a block's description.
#pragma once
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/module.hpp"

namespace dyadic::nn {

/// In training each element is 0 with probability `rate` and divided by 1 - rate otherwise; else the identity.
/// Rate 0 adds nothing to the graph.
struct dropout {
  double rate = 0;

  template <expression X> constexpr auto operator()(X x) const {
    if (rate == 0) return x;
    return static_cast<X>(dyadic::dropout(x, rate));
  }
};

}  // namespace dyadic::nn
