// Each pair (a, b) of an axis becomes (-b, a): the quarter turn that rotary positions are made of. Of the first R elements (value, or all
// if negative), slot 0 pairs i with i + R/2, slot 1 pairs 2i with 2i + 1. Elements without a partner, and those from R on, give 0.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::rotate_half> : op_defaults {
  static constexpr op_class kind = op_class::view;
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  static constexpr bool crosses(node const& n, int axis) { return n.axis == axis; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, g.neg(g.like(i, op::rotate_half, g.shape(i), d))); }
};

/// The two ways rotary positions pair the elements of a head. A model's weights fit one of them only.
struct half_split { static constexpr int slot = 0; };
struct interleaved_pairs { static constexpr int slot = 1; };

/// The quarter turn of the pairs along A. rotary: how many elements take part, all if negative. Errors: an axis x does not have.
template <class A, class Pairing = half_split, class List, class H> constexpr auto rotate_half(expr<List, f32, H> x, int rotary = -1) {
  static_assert(axis_is_in<A, List>, "rotate_half: the value has no such axis");
  node n;
  n.kind = op::rotate_half; n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.value = rotary; n.slot = Pairing::slot;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b));
  n.axes = x.b->shape(x.id);
  return expr<List, f32, H>{x.b, x.b->push(n)};
}

}  // namespace dyadic
