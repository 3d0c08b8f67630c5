// Functions made of 1 / (1 + e^-x): sigmoid, silu and its slope, gelu's tanh form and its slope; and tanh. By way of e^-|x|, which does not
// overflow; the last scaling comes after the products, so that these keep their digits where the exponential alone would be denormal.
#pragma once
#include "dyadic/cpu/functions/exp.hpp"

namespace dyadic::cpu::functions {

namespace detail {

/// sigmoid(v) = front / sum * scale, sigmoid(-v) = back / sum; exactly 0 where any product with it vanishes.
template <class V> struct logistic { V front, back, sum, scale; };

template <class V> [[gnu::always_inline]] inline logistic<V> logistic_of(V const& v) {
  using data = exp_data<element_of<V>>;
  V const away = as<V>(as<bits_of<V>>(v) | sign_bit<V>);   // -|v|
  V const scaled = select<V>(away < broadcast<V>(data::vanished), V{}, scaled_exp<V>(away));
  V const e = scaled * data::halved, one = broadcast<V>(1);
  auto const below = v < V{};
  return {select<V>(below, scaled, one), select<V>(below, one, e), 1 + e, select<V>(below, data::halved, 1)};
}

}  // namespace detail

/// 1 / (1 + e^-x).
template <class V> [[gnu::always_inline]] inline V sigmoid(V const& x) {
  using data = exp_data<element_of<V>>;
  V const e = scaled_exp<V>(as<V>(as<bits_of<V>>(x) | sign_bit<V>)) * data::halved;
  return select<V>(x < V{}, e, broadcast<V>(1)) / (1 + e);
}
/// x sigmoid(x).
template <class V> [[gnu::always_inline]] inline V silu(V const& x) {
  auto const s = detail::logistic_of<V>(x);
  return x * s.front / s.sum * s.scale;
}
/// The derivative of silu: sigmoid(x) (1 + x sigmoid(-x)).
template <class V> [[gnu::always_inline]] inline V silu_slope(V const& x) {
  auto const s = detail::logistic_of<V>(x);
  return s.front * (1 + x * (s.back / s.sum)) / s.sum * s.scale;
}

/// x sigmoid(v), v = 2 sqrt(2 / pi) (x + 0.044715 x^3): the approximation of D. Hendrycks and K. Gimpel, arXiv:1606.08415, section 2.
template <class V> [[gnu::always_inline]] inline V gelu_tanh(V const& x) {
  using T = element_of<V>;
  auto const s = detail::logistic_of<V>(x * (x * x * T(0.0713548162726009) + T(1.59576912160573071)));
  return x * s.front / s.sum * s.scale;
}
/// The derivative of gelu_tanh.
template <class V> [[gnu::always_inline]] inline V gelu_tanh_slope(V const& x) {
  using T = element_of<V>;
  V const y = at_most<V>(at_least<V>(x, -40), 40);   // 0 and 1 from there on; v' could overflow
  V const square = y * y;
  auto const s = detail::logistic_of<V>(y * (square * T(0.0713548162726009) + T(1.59576912160573071)));
  V const slope = square * T(0.2140644488178027) + T(1.59576912160573071);
  return s.front * (1 + y * (s.back / s.sum) * slope) / s.sum * s.scale;
}

/// (e^2x - 1) / (e^2x + 1), with e^2x - 1 = 2^k (e^r - 1) + (2^k - 1), which does not cancel.
template <class V> [[gnu::always_inline]] inline V tanh(V const& x) {
  using U = bits_of<V>;
  V const a = at_most<V>(magnitude<V>(x), 10);
  auto const s = detail::split<V>(a + a, exp_data<element_of<V>>::bias);
  V const power = detail::power<V>(s.z);
  V const e = power * detail::less_one<V>(s.r) + (power - 1);
  return as<V>(as<U>(e / (e + 2)) | sign_of<V>(x));
}

}  // namespace dyadic::cpu::functions
