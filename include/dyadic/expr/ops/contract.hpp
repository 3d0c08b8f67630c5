// The sum of x * y over axes that the result lacks: every matrix product, by the names of the axes.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::contract> : op_defaults {
  static constexpr op_class kind = op_class::contract;
  static constexpr int arity = 2;
  static constexpr double flops = 2;   // per product
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), y = g.arg(i, 1);
    if (g.wants(x)) g.give(x, g.dot(d, y, g.shape(x)));
    if (g.wants(y)) g.give(y, g.dot(d, x, g.shape(y)));
  }
};

/// contract<A, B>(x, w): the sum over A and B of x * w; axes that both have run together, the others form all pairs.
/// Axes: those of x and w without A and B. Errors: an axis that an operand lacks, element types other than f32.
template <class... A, class List, class T, class H, class M, class U, class J>
constexpr auto contract(expr<List, T, H> x, expr<M, U, J> w, int line = __builtin_LINE()) {
  static_assert(((axis_is_in<A, List> && axis_is_in<A, M>) && ...), "contract: both operands must have the contracted axes");
  static_assert(dtype_is<T, f32> && dtype_is<U, f32>, "contract: the operands must be f32: convert with cast<f32>(x)");
  detail::check_operands<expr<List, T, H>, expr<M, U, J>>();
  using R = drop_axes<join_axes<List, M>, axes<A...>>;
  node n;
  n.kind = op::contract; n.nargs = 2; n.line = line;
  n.arg[0] = static_cast<std::int16_t>(x.id); n.arg[1] = static_cast<std::int16_t>(w.id);
  n.axes = (x.b->shape(x.id) | x.b->shape(w.id)) & ~axis_bits(*x.b, axes<A...>{});
  return expr<R, f32, join_axes<H, J>>{x.b, x.b->push(n)};
}

}  // namespace dyadic
