// The operand repeated over axes it lacks: those of the result.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::spread> : map_op_info<1> {
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return x; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, d); }   // give() sums it
};

/// spread<A, B>(x): x repeated over A and B. Errors: an axis x already has.
template <class... A, class List, class T, class H> constexpr auto spread(expr<List, T, H> x) {
  static_assert((axis_is_new_to<A, List> && ...), "spread: the value has this axis already");
  static_assert((axis_is_new_to<A, H> && ...), "spread: inside a scan over this axis a value has one position of it");
  using R = join_axes<List, axes<A...>>;
  return expr<R, T, H>{x.b, x.b->make(op::spread, x.b->shape(x.id) | axis_bits(*x.b, axes<A...>{}), T::id, 0, x.id)};
}

}  // namespace dyadic
