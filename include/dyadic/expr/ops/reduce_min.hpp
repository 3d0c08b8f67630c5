// The smallest element over the axes the operand has and the result lacks; of none: +inf. Equal extrema share the gradient evenly.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::reduce_min> : op_defaults {
  static constexpr void adjoint(gradient& g, int i, int d) {
    int const x = g.arg(i, 0), is = g.as_real(g.compare(op::equal, x, i));
    g.give(x, g.mul(is, g.div(d, g.fit(is, g.shape(i)))));
  }
};

/// min<A, B>(x): the smallest element over A and B. Errors: an axis x does not have.
template <class... A, class List, class T, class H> constexpr auto (min)(expr<List, T, H> x, int line = __builtin_LINE()) {
  static_assert((axis_is_in<A, List> && ...), "min: the value has no such axis");
  static_assert(sizeof...(A) > 0, "min: name the axes, or use minimum(x, y) for two values");
  node n;
  n.kind = op::reduce_min; n.type = T::id; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.line = line;
  n.axes = x.b->shape(x.id) & ~axis_bits(*x.b, axes<A...>{});
  return expr<drop_axes<List, axes<A...>>, T, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
