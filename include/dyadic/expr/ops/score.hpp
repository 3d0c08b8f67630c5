// The raw score <q, k> of the pair, in the fold that reads it. A pair node: evaluated inside a fold, never stored.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::score> : op_defaults {
  static constexpr op_class kind = op_class::pair;
  static constexpr int arity = 0;
  static constexpr double flops = 0;
};

}  // namespace dyadic
