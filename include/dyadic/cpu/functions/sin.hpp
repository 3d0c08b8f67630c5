// Sine and cosine on vectors of float: x = k pi / 2 + r with pi / 2 in four parts, the first three so short that their products with k are
// exact, then polynomials in r. W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 8; the polynomials are
// minimax ones of our own (Remez exchange). Beyond 10000 the standard library's, one element at a time.
#pragma once
#include "dyadic/cpu/vector.hpp"
#include "dyadic/expr/math.hpp"

namespace dyadic::cpu::functions {

namespace detail {
inline constexpr float last_angle = 10000;   // k below 2^13: products with numbers of 11 digits are exact

/// sin(|x| + quarters pi / 2).
template <class V> [[gnu::always_inline]] inline V sine_of_magnitude(V const& a, std::uint32_t quarters) {
  static_assert(sizeof(element_of<V>) == 4, "float only");
  constexpr float sine[] = {-0.166666552f, 0.0083321631f, -0.000195151661f};      // (sin r - r) / r^3, to 2^-28
  constexpr float cosine[] = {0.0416666456f, -0.00138872955f, 2.44306884e-05f};   // (cos r - 1 + r^2 / 2) / r^4, to 2^-32
  constexpr float rounder = 0x1.8p23f;
  V const z = a * 0.636619772f + rounder, k = z - rounder;
  V const r = (((a - k * 0x1.92p0f) - k * 0x1.fb4p-12f) - k * 0x1.444p-24f) - k * 0x1.68c234p-39f;
  V const square = r * r;
  V const s = square * r * polynomial(square, sine) + r;
  V const c = square * square * polynomial(square, cosine) - square * 0.5f + 1;
  bits_of<V> const q = as<bits_of<V>>(z) + quarters;
  return as<V>(as<bits_of<V>>(select<V>(as<mask_of<V>>(q << 31) < 0, c, s)) ^ ((q & 2u) << 30));
}
}  // namespace detail

/// sin(x).
template <class V> [[gnu::always_inline]] inline V sin(V const& x) {
  V const a = magnitude<V>(x);
  V y = as<V>(as<bits_of<V>>(detail::sine_of_magnitude<V>(a, 0)) ^ sign_of<V>(x));
  if (any(a > broadcast<V>(detail::last_angle))) [[unlikely]]
    for (int i = 0; i < lanes_of<V>; ++i) if (a[i] > detail::last_angle) y[i] = math::sin(static_cast<float>(x[i]));
  return y;
}
/// cos(x).
template <class V> [[gnu::always_inline]] inline V cos(V const& x) {
  V const a = magnitude<V>(x);
  V y = detail::sine_of_magnitude<V>(a, 1);
  if (any(a > broadcast<V>(detail::last_angle))) [[unlikely]]
    for (int i = 0; i < lanes_of<V>; ++i) if (a[i] > detail::last_angle) y[i] = math::cos(static_cast<float>(x[i]));
  return y;
}

}  // namespace dyadic::cpu::functions
