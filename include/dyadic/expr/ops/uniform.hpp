// Random numbers from [0, 1), from a counter generator keyed by (seed, step, stream = node.slot, index over the axes).
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"
#include "dyadic/expr/random.hpp"

namespace dyadic {

template <> struct op_info<op::uniform> : leaf_op_info { static constexpr bool random = true; };

/// Uniform random numbers from [0, 1), over the axes A... and at every position of the scans x lives in. Every call draws its own numbers.
template <class... A, class List, class T, class H> requires(sizeof...(A) > 0)
constexpr auto uniform(expr<List, T, H> x) {
  static_assert(axes_are_distinct<axes<A...>>, "an axis is named twice");
  axis_set const shape = axis_bits(*x.b, axes<A...>{}) | (x.b->shape(x.id) & ~axis_bits(*x.b, List{}) & ~pair_bit);
  return expr<axes<A...>, f32, H>{x.b, draw(*x.b, op::uniform, shape, f32::id, 0)};
}
/// The same with the axes of x.
template <expression X> constexpr auto uniform(X x) {
  return expr<typename X::shape, f32, typename X::hidden>{x.b, draw(*x.b, op::uniform, x.b->shape(x.id) & ~pair_bit, f32::id, 0)};
}

}  // namespace dyadic
