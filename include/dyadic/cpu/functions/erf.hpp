// The error function, gelu and its slope, on vectors of float. With a = |x|, the upper tail of the normal distribution is
// e^(-a^2 / 2) R(a); R is approximated in a / (a + 2), after M. Shepherd and J. Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x^2) erfc x", Mathematics of Computation 36, 1981. The polynomials are minimax ones of our own (Remez exchange).
#pragma once
#include "dyadic/cpu/functions/exp.hpp"

namespace dyadic::cpu::functions {

namespace detail {

/// R(a), 0 <= a <= 14.6 (any number beyond), to 2^-28.3. With u = a / (a + 2), R(a) (a + 2) = 1 + u times a polynomial in 2 u - 1, which
/// keeps most digits where the tail is large and is subtracted from 1.
template <class V> [[gnu::always_inline]] inline V tail_ratio(V const& a) {
  static_assert(sizeof(element_of<V>) == 4, "float only");
  constexpr float terms[] = {-0.655183971f,    -0.00762495259f, 0.0652197003f,  0.00821895711f,   -0.00915859733f,  -0.00430972129f,
                             0.000407438987f, 0.00123849756f,  0.000432710047f, -0.000166361016f, -0.000130569606f};
  V const w = 1 / (a + 2), u = a * w;
  return w * (u * polynomial(u + u - 1, terms) + 1);
}

/// A tail is bell * ratio * 2^-64, bell = 2^64 e^(-x^2 / 2), exactly 0 where x^2 times it vanishes.
template <class V> struct tail { V bell, ratio; };
template <class V> [[gnu::always_inline]] inline tail<V> tail_of(V const& x) {
  constexpr float last = 15.3f;   // e^-117
  V const m = magnitude<V>(x), a = at_most<V>(m, last);
  V const high = as<V>(as<bits_of<V>>(a) & 0xfffff000u);   // high^2 is exact
  V const bell = scaled_exp<V>(high * high * -0.5f, (a - high) * (a + high) * -0.5f);
  return {select<V>(m > broadcast<V>(last), V{}, bell), tail_ratio<V>(a)};
}

}  // namespace detail

/// x times the normal distribution's probability of less than x.
template <class V> [[gnu::always_inline]] inline V gelu(V const& x) {
  auto const t = detail::tail_of<V>(x);
  auto const below = x < V{};
  V const p = t.bell * t.ratio;
  return x * select<V>(below, p, 1 - p * exp_data<float>::halved) * select<V>(below, exp_data<float>::halved, 1);
}
/// The derivative of gelu: the distribution, and x times its density.
template <class V> [[gnu::always_inline]] inline V gelu_slope(V const& x) {
  auto const t = detail::tail_of<V>(x);
  auto const below = x < V{};
  V const p = t.bell * (t.ratio - magnitude<V>(x) * 0.39894228f);   // 1 / sqrt(2 pi)
  return select<V>(below, p, 1 - p * exp_data<float>::halved) * select<V>(below, exp_data<float>::halved, 1);
}

/// 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
template <class V> [[gnu::always_inline]] inline V erf(V const& x) {
  constexpr float terms[] = {0.128379166f,  -0.37612626f,    0.112835854f,    -0.0268538129f,
                             0.00518832775f, -0.000801019371f, 7.85386146e-05f};   // erf(x) / x - 1 in x^2, x <= 1, to 2^-29.6
  V const a = at_most<V>(magnitude<V>(x), 4.5f), square = a * a;
  V const near = a * polynomial(square, terms) + a;
  V const far = 1 - scaled_exp<V>(-square) * detail::tail_ratio<V>(a * 1.41421356f) * (2 * exp_data<float>::halved);
  return as<V>(as<bits_of<V>>(select<V>(a < broadcast<V>(1), near, far)) | sign_of<V>(x));
}

}  // namespace dyadic::cpu::functions
