// The transpose of take into states: r[axis = m] is the sum of operand 0 over the positions of the table (operand 1) that name merge m.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::put> : op_defaults {
  static constexpr op_class kind = op_class::far;
  static constexpr int arity = 2;
  static constexpr bool differentiable = false;
  static constexpr bool crosses(node const& x, int axis) { return axis == x.aux || (axis == x.axis && !x.far[0]); }
};

}  // namespace dyadic
