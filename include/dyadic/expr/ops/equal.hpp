// x == y, as a boolean. No gradient passes. Written as the operators of functions/operators.hpp.
#pragma once

#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::equal> : map_op_info<2> {
  static constexpr double flops = 1;
  template <class T> DYADIC_DEVICE static T apply(T x, T y) { return static_cast<T>(x == y); }
};

}  // namespace dyadic
