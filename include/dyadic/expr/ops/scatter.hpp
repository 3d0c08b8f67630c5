// The transpose of gather: r[axis = i] is the sum of x over all points of (x's and y's axes) without r's others, where y == i.
// An index below 0 or past the end adds nowhere.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::scatter> : op_defaults {
  static constexpr op_class kind = op_class::indexed;
  static constexpr int arity = 2;
  static constexpr bool crosses(node const& n, int axis) { return n.axis == axis; }
  static constexpr bool zero_through(node const&, int operand) { return operand == 0; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    if (!g.wants(g.arg(i, 0))) return;
    int const y = g.arg(i, 1);
    g.give_arg(i, 0, g.like(i, op::gather, (g.shape(i) & ~bit_of(g.at(i).axis)) | g.shape(y), d, y));
  }
};

/// scatter<A, Kept...>(x, index): adds x at the positions index gives along A, summed over index's axes other than Kept.
/// Axes: A, Kept, and those of x that index lacks. Errors: a kept axis that index lacks, an index that is not i32.
template <class A, class... Kept, class List, class T, class H, class M, class U, class J>
constexpr auto scatter(expr<List, T, H> x, expr<M, U, J> index, int line = __builtin_LINE()) {
  static_assert(dtype_is<U, i32>, "scatter: the index must be i32: cast<i32>(index)");
  static_assert((axis_is_in<Kept, M> && ...), "scatter: the index has no such axis");
  static_assert(axis_is_new_to<A, drop_axes<List, M>>, "scatter: the value has the new axis already");
  using R = join_axes<join_axes<axes<A>, axes<Kept...>>, drop_axes<List, M>>;
  detail::check_operands<expr<List, T, H>, expr<M, U, J>>();
  builder& b = *x.b;
  node n;
  n.kind = op::scatter; n.type = T::id; n.nargs = 2; n.line = line;
  n.arg[0] = static_cast<std::int16_t>(x.id); n.arg[1] = static_cast<std::int16_t>(index.id);
  n.axis = static_cast<std::int8_t>(axis_id<A>(b));
  axis_set const summed = axis_bits(b, drop_axes<M, axes<Kept...>>{});
  n.axes = ((b.shape(x.id) | b.shape(index.id)) & ~summed) | bit_of(n.axis);
  return expr<R, T, join_axes<H, J>>{x.b, b.push(n)};
}

}  // namespace dyadic
