// The sum over some axes of the operand: those it has and the result lacks. The sum of nothing is 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::sum> : op_defaults {
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, d); }   // give() repeats it
};

/// sum<A, B>(x): over A and B. Errors: an axis x does not have.
template <class... A, class List, class H> constexpr auto sum(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert((axis_is_in<A, List> && ...), "sum: the value has no such axis");
  using R = drop_axes<List, axes<A...>>;
  node n;
  n.kind = op::sum; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axes = x.b->shape(x.id) & ~axis_bits(*x.b, axes<A...>{});
  return expr<R, f32, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
