// Data given with every run; the leaf table says its name and layout.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::input> : leaf_op_info {};

}  // namespace dyadic
