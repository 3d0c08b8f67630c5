// The factors of dropout: in training 0 with probability node.value, else 1 / (1 - node.value); outside of training 1.
// Keyed as `uniform` is. `dropout` (functions/dropout.hpp) multiplies by it.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::dropout_mask> : leaf_op_info { static constexpr bool random = true; };

}  // namespace dyadic
