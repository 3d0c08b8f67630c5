// A given value moved along an axis: r[t] = x[t - n], 0 where there is none. far[0] = +1 for n > 0, -1 for n < 0; `value` = |n|.
// Unlike prev it is no state: a solver leaves it alone.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::shift> : op_defaults {
  static constexpr op_class kind = op_class::far;
  static constexpr double flops = 0;
  static constexpr void adjoint(gradient& g, int i, int d) {
    node back = g.at(i);
    back.far[0] = static_cast<std::int8_t>(-back.far[0]);
    back.arg[0] = static_cast<std::int16_t>(d);
    g.give_arg(i, 0, g.b.push(back));
  }
};

namespace detail {
template <class A, class List, class T, class J> constexpr auto shifted(expr<List, T, J> x, int n, int line) {
  if (n == 0) return x;
  node r;
  r.kind = op::shift; r.type = T::id; r.line = line; r.nargs = 1; r.arg[0] = static_cast<std::int16_t>(x.id);
  r.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  r.far[0] = static_cast<std::int8_t>(n > 0 ? 1 : -1);
  r.value = n > 0 ? n : -n;
  r.axes = x.b->shape(x.id);
  return expr<List, T, J>{x.b, x.b->push(r)};
}
}  // namespace detail

/// shift<A>(x, n): the value n positions earlier along A (n < 0: later), 0 beyond the ends. x shows A, or lives in a scan over A.
template <class A, class List, class T, class H> constexpr auto shift(expr<List, T, H> x, int n, int line = __builtin_LINE()) {
  static_assert(has_axis<List, A> || has_axis<H, A>, "shift: the value has no such axis");
  return detail::shifted<A>(x, n, line);
}

}  // namespace dyadic
