// The identity, through which no gradient passes.
#pragma once

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::stop_gradient> : map_op_info<1> {
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return x; }
};

/// x, treated as a constant by the adjoint.
template <class List, class T, class H> constexpr auto stop_gradient(expr<List, T, H> x) { return map_op<op::stop_gradient>(x); }

}  // namespace dyadic
