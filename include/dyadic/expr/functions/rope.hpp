// Rotary positions.
#pragma once
#include "dyadic/expr/functions/operators.hpp"
#include "dyadic/expr/functions/outer.hpp"
#include "dyadic/expr/ops/cast.hpp"
#include "dyadic/expr/ops/cos.hpp"
#include "dyadic/expr/ops/extent.hpp"
#include "dyadic/expr/ops/iota.hpp"
#include "dyadic/expr/ops/modulo.hpp"
#include "dyadic/expr/ops/power.hpp"
#include "dyadic/expr/ops/rotate_half.hpp"
#include "dyadic/expr/ops/select.hpp"
#include "dyadic/expr/ops/sin.hpp"

namespace dyadic {

struct rope_options {
  double theta = 10000;   ///< the base of the frequencies
  int rotary = -1;        ///< how many of the first elements are turned (an even number); all if negative
};

/// rope<Dim>(x, positions) or rope<Dim, interleaved_pairs>(...): pair j of x's elements along Dim is turned by the angle
/// position * theta^(-2j / rotary). half_split (the default) pairs element j with j + rotary / 2, interleaved_pairs 2j with 2j + 1.
/// Positions are data: f32 or i32, over axes that x has; restart them for packed documents. Axes: x's.
/// Errors: an axis x lacks, an odd static extent. Source: Su et al. 2021, arXiv 2104.09864.
template <class Dim, class Pairing = half_split, class List, class H, class M, class U, class J>
constexpr auto rope(expr<List, f32, H> x, expr<M, U, J> positions, rope_options options = {}) {
  static_assert(axis_is_in<Dim, List>, "rope: the value has no such axis");
  static_assert(axis_is_new_to<Dim, M>, "rope: the positions have the axis whose elements are turned");
  static_assert(Dim::static_extent < 0 || Dim::static_extent % 2 == 0, "rope: the elements of an odd extent cannot be paired");
  auto const i = cast<f32>(iota<Dim>(x));
  auto const all = extent<Dim>(x);
  auto const rotary = options.rotary >= 0 ? real(x, options.rotary) : all;
  auto const pair = [&] {
    if constexpr (Pairing::slot == half_split::slot) return modulo(i, rotary * 0.5);
    else return map_op<op::floor>(i * 0.5);
  }();
  auto frequency = power(real(x, options.theta), pair * (-2.0 / rotary));
  if (options.rotary >= 0) frequency = select(i < rotary, frequency, 0);   // the others stay: cos 0 = 1
  auto const angle = outer(cast<f32>(positions), frequency);
  return x * cos(angle) + rotate_half<Dim, Pairing>(x, options.rotary) * sin(angle);
}

}  // namespace dyadic
