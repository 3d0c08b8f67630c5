// The largest integer not above x. Its derivative is 0: no gradient passes.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::floor> : map_op_info<1> {
  static constexpr double flops = 1;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return math::floor(x); }
};

/// The largest integer not above every element.
template <class List, class H> constexpr auto floor(expr<List, f32, H> x) { return map_op<op::floor>(x); }

}  // namespace dyadic
