// x when node.axis is empty, else 0: the derivative of pick's second operand.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::if_empty> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.like(i, op::if_empty, g.shape(i), d)); }
};

}  // namespace dyadic
