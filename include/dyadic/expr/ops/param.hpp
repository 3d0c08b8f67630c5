// A parameter; the leaf table says its name, layout and initial value.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::param> : leaf_op_info {};

}  // namespace dyadic
