// How far the key lies from the query along `axis`: query position - key position. A pair node: evaluated inside a fold, never stored.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::distance> : op_defaults {
  static constexpr op_class kind = op_class::pair;
  static constexpr int arity = 0;
  static constexpr double flops = 0;
};

}  // namespace dyadic
