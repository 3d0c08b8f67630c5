// One number, node.value, at every point of its axes. Made by full, zeros, ones, number (expr/expr.hpp).
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::constant> : leaf_op_info {};

}  // namespace dyadic
