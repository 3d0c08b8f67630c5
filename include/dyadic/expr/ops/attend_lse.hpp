// The log-sum-exp of the scores of an attend (operand 0): what its backward folds rebuild the weights from.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::attend_lse> : op_defaults {
  static constexpr op_class kind = op_class::fold;
  static constexpr int arity = 1;
  static constexpr double flops = 0;   // counted per pair by the cost pass
  static constexpr bool differentiable = false;
};

}  // namespace dyadic
