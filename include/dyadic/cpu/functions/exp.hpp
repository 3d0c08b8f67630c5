// e^x on vectors of float or double: x = k ln 2 + r, e^r by a polynomial, and a scaling by 2^k in two steps, which denormal results
// and overflow take too. W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 6; the polynomials
// are minimax ones of our own (Remez exchange).
#pragma once
#include "dyadic/cpu/vector.hpp"

namespace dyadic::cpu::functions {

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2. `high` has few digits, so that k * high is exact; high + low = ln 2.
/// Adding `rounder` rounds to an integer, in the lowest bits. `half`: results below are scaled by 2^half first.
template <class T> struct exp_data;
template <> struct exp_data<float> {   // relative to e^r - 1: 2^-26.1
  static constexpr float terms[] = {0.49999997f, 0.166665435f, 0.0416672006f, 0.00836659595f, 0.00138825073f};
  static constexpr float inverse = 1.44269504f, high = 0.693359375f, low = -2.12194440e-4f, rounder = 0x1.8p23f;
  static constexpr float first = -104.5f, last = 89, vanished = -118, halved = 0x1p-64f;
  static constexpr int mantissa = 23, bias = 127, half = 64;
};
template <> struct exp_data<double> {   // relative to e^r: 2^-57.9
  static constexpr double terms[] = {0.50000000000000111,    0.16666666666666413,   0.041666666666529871,   0.0083333333334948065,
                                     0.0013888888943716119,  0.00019841269506036934, 2.4801493000029105e-05, 2.7557586666967449e-06,
                                     2.7630286715448211e-07, 2.5000030504316497e-08};
  static constexpr double inverse = 1.44269504088896341, high = 0.69314718036912382, low = 1.9082149292705877e-10, rounder = 0x1.8p52;
  static constexpr double first = -746, last = 710, vanished = -765, halved = 0x1p-512;
  static constexpr int mantissa = 52, bias = 1023, half = 512;
};

namespace detail {

template <class V> struct exp_parts { V z, k, r; };   // z = k + rounder + offset: k + offset in its lowest bits

/// The parts of x + rest, |rest| much smaller than |x|.
template <class V> [[gnu::always_inline]] inline exp_parts<V> split(V const& x, V const& rest, int offset) {
  using data = exp_data<element_of<V>>;
  element_of<V> const rounder = data::rounder + static_cast<element_of<V>>(offset);
  exp_parts<V> s;
  s.z = (x + rest) * data::inverse + rounder;
  s.k = s.z - rounder;
  s.r = (x - s.k * data::high) + (rest - s.k * data::low);
  return s;
}
template <class V> [[gnu::always_inline]] inline exp_parts<V> split(V const& x, int offset) {
  using data = exp_data<element_of<V>>;
  element_of<V> const rounder = data::rounder + static_cast<element_of<V>>(offset);
  exp_parts<V> s;
  s.z = x * data::inverse + rounder;
  s.k = s.z - rounder;
  s.r = (x - s.k * data::high) - s.k * data::low;
  return s;
}
/// e^r - 1.
template <class V> [[gnu::always_inline]] inline V less_one(V const& r) {
  return r * r * polynomial(r, exp_data<element_of<V>>::terms) + r;
}
/// 2^n for the integer in z's lowest bits, the format's bias included. It multiplies: added to a NaN's bits it could make a number of it.
template <class V> [[gnu::always_inline]] inline V power(V const& z) {
  return as<V>(as<bits_of<V>>(z) << exp_data<element_of<V>>::mantissa);
}

}  // namespace detail

/// e^x.
template <class V> [[gnu::always_inline]] inline V exp(V const& x) {
  using data = exp_data<element_of<V>>;
  using U = bits_of<V>;
  using bits = element_of<U>;
  auto const s = detail::split<V>(at_least<V>(at_most<V>(x, data::last), data::first), data::bias - 1);
  // 2^(k + half), then 2^-half, for negative x; 2^(k - 1), then 2, for others
  constexpr bits two = static_cast<bits>(data::bias + 1) << data::mantissa, further = static_cast<bits>(data::half + 1) << data::mantissa;
  U const shift = as<U>(as<mask_of<V>>(x) >> (8 * static_cast<int>(sizeof(bits)) - 1)) & further;
  V const power = as<V>(as<U>(detail::power<V>(s.z)) + shift);
  return (detail::less_one<V>(s.r) * power + power) * as<V>(two - shift);
}

/// 2^half e^x for x <= 0, which is never denormal: to be multiplied by `halved` in the end. From `vanished` down some number near that of
/// `vanished`; its product with x^2 still rounds to 0.
template <class V> [[gnu::always_inline]] inline V scaled_exp(V const& x) {
  using data = exp_data<element_of<V>>;
  auto const s = detail::split<V>(at_least<V>(x, data::vanished), data::bias + data::half);
  V const power = detail::power<V>(s.z);
  return detail::less_one<V>(s.r) * power + power;
}
/// The same for x + rest, both <= 0 and together above `vanished`: where x alone is rounded too much.
template <class V> [[gnu::always_inline]] inline V scaled_exp(V const& x, V const& rest) {
  using data = exp_data<element_of<V>>;
  auto const s = detail::split<V>(x, rest, data::bias + data::half);
  V const power = detail::power<V>(s.z);
  return detail::less_one<V>(s.r) * power + power;
}

}  // namespace dyadic::cpu::functions
