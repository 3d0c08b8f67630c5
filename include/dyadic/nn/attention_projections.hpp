// The projections of grouped-query attention with per-head norms of query and key, as in Qwen3: what a block attends with.
#pragma once
#include "dyadic/nn/linear.hpp"
#include "dyadic/nn/rms_norm.hpp"

namespace dyadic::nn {

/// Feature: the stream. Heads: key and value heads. Group: query heads that share one of them. Dim: the head dimension.
/// Norm: of query and key, over Dim, a gain shared by the heads. In files the query head of (heads h, group g) is h * extent(group) + g.
template <class Feature, class Heads, class Group, class Dim, template <class> class Norm = rms_norm> struct attention_projections {
  linear<Feature, axes<Heads, Group, Dim>> q_proj{};
  linear<Feature, axes<Heads, Dim>> k_proj{}, v_proj{};
  linear<axes<Heads, Group, Dim>, Feature> o_proj{};
  Norm<Dim> q_norm, k_norm;
  double theta = 10000;   ///< base of the rotary angles
  DYADIC_FIELDS(q_proj, k_proj, v_proj, o_proj, q_norm, k_norm, theta)

  /// The query of u, rotated to position `at` and scaled by 1/sqrt(extent of Dim): u's axes without Feature, with Heads, Group, Dim.
  template <expression U, expression P> constexpr auto query(U u, P at) const { return scaled(rotated(q_norm(q_proj(u)), at)); }
  /// The same without a position.
  template <expression U> constexpr auto query(U u) const { return scaled(q_norm(q_proj(u))); }

  template <expression U, expression P> constexpr auto key(U u, P at) const { return rotated(k_norm(k_proj(u)), at); }
  template <expression U> constexpr auto key(U u) const { return k_norm(k_proj(u)); }
  template <expression U> constexpr auto value(U u) const { return v_proj(u); }

  /// Key and value of u: what a memory holds.
  template <expression U, expression P> constexpr auto key_value(U u, P at) const { return pair<Dim>(key(u, at), value(u)); }
  template <expression U> constexpr auto key_value(U u) const { return pair<Dim>(key(u), value(u)); }

  /// What was attended to, back on the stream.
  template <expression A> constexpr auto out(A a) const { return o_proj(a); }

  template <expression X, expression P> constexpr auto rotated(X x, P at) const { return rope<Dim>(x, at, {.theta = theta}); }
  template <expression X> static constexpr auto scaled(X x) { return x * rsqrt(extent<Dim>(x)); }
};

}  // namespace dyadic::nn
