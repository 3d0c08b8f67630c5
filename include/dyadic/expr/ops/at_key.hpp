// A value (operand 0, far) at the position of the key. A pair node: evaluated inside a fold, never stored.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::at_key> : op_defaults {
  static constexpr op_class kind = op_class::pair;
  static constexpr int arity = 1;
  static constexpr double flops = 0;
};

}  // namespace dyadic
