// x at the positions y gives along an axis: r = x[axis = y]; other axes that both have run together.
// An index below 0 or past the end reads 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::gather> : op_defaults {
  static constexpr op_class kind = op_class::indexed;
  static constexpr int arity = 2;
  static constexpr double flops = 0;
  static constexpr bool crosses(node const& n, int axis) { return n.axis == axis; }
  static constexpr bool zero_through(node const&, int operand) { return operand == 0; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    if (g.wants(g.arg(i, 0))) g.give_arg(i, 0, g.like(i, op::scatter, g.shape(g.arg(i, 0)), d, g.arg(i, 1)));
  }
};

/// gather<A>(table, index): the rows of table at index along A (an embedding); index -1 gives 0. Axes: those of index, and of table without
/// A. Errors: an axis the table lacks, an index that is not i32.
template <class A, class List, class T, class H, class M, class U, class J>
constexpr auto gather(expr<List, T, H> table, expr<M, U, J> index, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "gather: the table has no such axis");
  static_assert(dtype_is<U, i32>, "gather: the index must be i32: cast<i32>(index)");
  using R = join_axes<M, drop_axes<List, axes<A>>>;
  using open = join_axes<H, J>;
  static_assert(one_position_inside_its_scan<R, open>,
                "a whole-sequence value is used inside a scan over that sequence: pass it through the scan, or use position_of(value)");
  builder& b = *table.b;
  node n;
  n.kind = op::gather; n.type = T::id; n.nargs = 2; n.line = line;
  n.arg[0] = static_cast<std::int16_t>(table.id); n.arg[1] = static_cast<std::int16_t>(index.id);
  n.axis = static_cast<std::int8_t>(axis_id<A>(b));
  n.axes = (b.shape(table.id) & ~bit_of(n.axis)) | b.shape(index.id);
  return expr<R, T, open>{table.b, b.push(n)};
}

}  // namespace dyadic
