// y where x holds, else z; x is a boolean. No gradient goes to the condition.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::select> : map_op_info<3> {
  template <class T> DYADIC_DEVICE static T apply(T c, T x, T y) { return c != 0 ? x : y; }
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const c = g.arg(i, 0), zero = g.number(0);
    if (g.wants(g.arg(i, 1))) g.give_arg(i, 1, g.select(c, d, zero));
    if (g.wants(g.arg(i, 2))) g.give_arg(i, 2, g.select(c, zero, d));
  }
};

/// x where c holds, else y: element by element. One of the three must have all axes of the others.
/// Errors: a condition that is no boolean, element types that differ, axes that do not nest.
template <class K, class C, class G, class List, class T, class H, class M, class U, class J>
constexpr auto select(expr<K, C, G> c, expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(dtype_is<C, boolean>, "select: the condition must be a boolean: compare, or cast<boolean>(c)");
  static_assert(dtypes_agree<T, U>, "select: the two values have different element types");
  using all = join_axes<join_axes<List, M>, K>;
  static_assert(same_axes<all, K> || same_axes<all, List> || same_axes<all, M>, "select: one operand must have all the axes of the others");
  using open = join_axes<join_axes<H, J>, G>;
  static_assert(one_position_inside_its_scan<all, open>,
                "a whole-sequence value is used inside a scan over that sequence: pass it through the scan, or use position_of(value)");
  builder& b = *c.b;
  return expr<all, T, open>{c.b, b.make(op::select, b.shape(c.id) | b.shape(x.id) | b.shape(y.id), T::id, 0, c.id, x.id, y.id)};
}
template <class K, class C, class G, class List, class T, class H> constexpr auto select(expr<K, C, G> c, expr<List, T, H> x, double y) {
  return select(c, x, number(x, y));
}
template <class K, class C, class G, class List, class T, class H> constexpr auto select(expr<K, C, G> c, double x, expr<List, T, H> y) {
  return select(c, number(y, x), y);
}
template <class K, class C, class G> constexpr auto select(expr<K, C, G> c, double x, double y) {
  return select(c, real(c, x), real(c, y));
}

}  // namespace dyadic
