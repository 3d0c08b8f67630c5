// The natural logarithm, and softplus, on vectors of float: x = 2^k (1 + f), log(1 + f) by a polynomial. W. J. Cody and W. Waite, Software
// Manual for the Elementary Functions, 1980, chapter 5; the polynomial is a minimax one of our own (Remez exchange).
#pragma once
#include <limits>

#include "dyadic/cpu/functions/exp.hpp"

namespace dyadic::cpu::functions {

namespace detail {
/// log(1 + f) - f for sqrt(1/2) <= 1 + f <= sqrt(2); with f added, relative error 2^-27.3. `more` is added where it keeps its digits.
template <class V> [[gnu::always_inline]] inline V log_rest(V const& f, V const& more) {
  static_assert(sizeof(element_of<V>) == 4, "float only");
  constexpr float terms[] = {0.333333313f, -0.250008225f, 0.200012267f,  -0.16623354f,
                             0.142017439f, -0.131602079f, 0.127617002f, -0.0763458759f};
  V const square = f * f;
  return (square * f * polynomial(f, terms) + more) - square * 0.5f;
}
}  // namespace detail

/// log(x): -inf at 0, NaN below.
template <class V> [[gnu::always_inline]] inline V log(V const& x) {
  using U = bits_of<V>;
  using M = mask_of<V>;
  using limits = std::numeric_limits<float>;
  auto const tiny = x < broadcast<V>((limits::min)());
  U const bits = as<U>(select<V>(tiny, x * 0x1p23f, x));
  U const above = bits - 0x3f3504f3u;   // sqrt(1/2): what lies above it in exponents is k, and the rest 1 + f
  V const k = __builtin_convertvector(as<M>(above) >> 23, V) - select<V>(tiny, 23, 0);
  V const f = as<V>(bits - (above & 0xff800000u)) - 1;
  V const y = (f + detail::log_rest<V>(f, k * exp_data<float>::low)) + k * exp_data<float>::high;
  V const odd = select<V>(x == V{}, broadcast<V>(-limits::infinity()), select<V>(x < V{}, broadcast<V>(limits::quiet_NaN()), x));
  return select<V>((x > V{}) & (x < broadcast<V>(limits::infinity())), y, odd);
}

/// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|).
template <class V> [[gnu::always_inline]] inline V softplus(V const& x) {
  V const e = scaled_exp<V>(as<V>(as<bits_of<V>>(x) | sign_bit<V>)) * exp_data<float>::halved;
  auto const far = e > broadcast<V>(0.4142f);   // 1 + e beyond sqrt(2) is halved
  V const f = select<V>(far, e * 0.5f - 0.5f, e);
  V const y = (f + detail::log_rest<V>(f, V{})) + select<V>(far, 0.693147181f, 0);
  return at_least<V>(x, 0) + y;
}

}  // namespace dyadic::cpu::functions
