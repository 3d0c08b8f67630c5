// -x. Written as the unary operator -.
#pragma once

#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::neg> : map_op_info<1> {
  static constexpr double flops = 1;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return -x; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.neg(d)); }
};

}  // namespace dyadic
