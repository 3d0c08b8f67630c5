// True with probability node.value, keyed as `uniform` is.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"
#include "dyadic/expr/random.hpp"

namespace dyadic {

template <> struct op_info<op::bernoulli> : leaf_op_info { static constexpr bool random = true; };

/// Random booleans, true with probability p, over the axes A... and at every position of the scans x lives in. Every call draws its own.
template <class... A, class List, class T, class H> requires(sizeof...(A) > 0)
constexpr auto bernoulli(expr<List, T, H> x, double p) {
  static_assert(axes_are_distinct<axes<A...>>, "an axis is named twice");
  axis_set const shape = axis_bits(*x.b, axes<A...>{}) | (x.b->shape(x.id) & ~axis_bits(*x.b, List{}) & ~pair_bit);
  return expr<axes<A...>, boolean, H>{x.b, draw(*x.b, op::bernoulli, shape, boolean::id, p)};
}
/// The same with the axes of x.
template <expression X> constexpr auto bernoulli(X x, double p) {
  return expr<typename X::shape, boolean, typename X::hidden>{x.b, draw(*x.b, op::bernoulli, x.b->shape(x.id) & ~pair_bit, boolean::id, p)};
}

}  // namespace dyadic
