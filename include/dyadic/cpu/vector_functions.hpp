// Functions that the compiler does not vectorise, in float, through Eigen's packet mathematics. Double keeps the standard library's.
// Eigen's end where results stop being normal numbers (e^-88 stays 3e-39 forever, log takes the least normal number for a denormal
// one), so blocks that reach there have those elements computed again, one by one in double.
//
// Error against the true value, in units of its last place, for every float argument (tests/cpu/accuracy.cpp):
//   exp, log, sqrt, rsqrt 2; sin, cos, sigmoid 4; tanh 8; silu 5.
//   silu_slope 8, and 2 epsilon absolute: it has a root at -1.28.
// Results below the least normal number are off by at most one denormal step, 2^-149. Infinities and NaN are those of the plain
// functions: exp(-inf) = 0, exp(inf) = inf, sigmoid(-inf) = 0, and silu(-inf) = -inf * 0 is NaN.
// exp_block (softmax, attention) is as exp in float, and as it in double, where Eigen's ends at e^-709.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dyadic/expr/op_table.hpp"

namespace dyadic::cpu {

template <op O, class T> inline constexpr bool has_vector_function =
    std::is_same_v<T, float> && (O == op::exp || O == op::log || O == op::tanh || O == op::sigmoid || O == op::silu ||
                                 O == op::silu_slope || O == op::sin || O == op::cos || O == op::sqrt || O == op::rsqrt);

namespace detail {

inline constexpr std::int64_t vector_block = 64;
template <class T> using packets = Eigen::Array<T, Eigen::Dynamic, 1>;
/// Above `normal`, e^x is a normal number; below `zero`, e^x, x e^x and x^2 e^x round to 0.
template <class T> struct exp_range;
template <> struct exp_range<float> { static constexpr float normal = -87, zero = -115; };
template <> struct exp_range<double> { static constexpr double normal = -708, zero = -765; };

/// f(i) for the few i of n whose x is in [zero, normal): one test for all of them first, which the compiler vectorises.
template <class T, class F> void each_denormal(T const* x, std::int64_t n, F&& f) {
  int some = 0;
  for (std::int64_t i = 0; i < n; ++i) some |= static_cast<int>(x[i] < exp_range<T>::normal) & static_cast<int>(x[i] >= exp_range<T>::zero);
  if (some) for (std::int64_t i = 0; i < n; ++i) if (x[i] < exp_range<T>::normal && x[i] >= exp_range<T>::zero) f(i);
}

/// r = e^x for at most vector_block elements; r is not x.
template <class T> void exp_block(T* r, T const* x, std::int64_t n) {
  Eigen::Map<packets<T>>(r, n) = Eigen::Map<packets<T> const>(x, n).exp();
  for (std::int64_t i = 0; i < n; ++i) r[i] = x[i] < exp_range<T>::zero ? T(0) : r[i];
  each_denormal(x, n, [&](std::int64_t i) { r[i] = std::exp(x[i]); });
}

/// r = 1 / (1 + e^-x) by way of e^-|x|, which does not overflow and keeps small results.
inline void sigmoid_block(float* r, float const* x, std::int64_t n) {
  float a[vector_block]{}, e[vector_block];
  for (std::int64_t i = 0; i < n; ++i) a[i] = -std::abs(x[i]);
  exp_block(e, a, n);
  for (std::int64_t i = 0; i < n; ++i) r[i] = (x[i] < 0 ? e[i] : 1.0f) / (1 + e[i]);
}

template <op O> void function_block(float* r, float const* x, std::int64_t n) {
  Eigen::Map<packets<float>> out(r, n);
  Eigen::Map<packets<float> const> in(x, n);
  if constexpr (O == op::exp) exp_block(r, x, n);
  else if constexpr (O == op::tanh) out = in.tanh();
  else if constexpr (O == op::sin) out = in.sin();
  else if constexpr (O == op::cos) out = in.cos();
  else if constexpr (O == op::log) {
    out = in.log();
    constexpr float least = (std::numeric_limits<float>::min)();
    int some = 0;
    for (std::int64_t i = 0; i < n; ++i) some |= static_cast<int>(x[i] > 0) & static_cast<int>(x[i] < least);
    if (some) for (std::int64_t i = 0; i < n; ++i) if (x[i] > 0 && x[i] < least) r[i] = std::log(x[i]);
  } else if constexpr (O == op::sqrt || O == op::rsqrt) {   // Eigen's in float is an estimate that takes denormal numbers for 0
    double d[vector_block]{};
    Eigen::Map<packets<double>> wide(d, n);
    for (std::int64_t i = 0; i < n; ++i) d[i] = x[i];
    if constexpr (O == op::sqrt) wide = wide.sqrt();
    else wide = wide.sqrt().inverse();
    for (std::int64_t i = 0; i < n; ++i) r[i] = static_cast<float>(d[i]);
  } else {
    sigmoid_block(r, x, n);
    if constexpr (O == op::silu) {
      for (std::int64_t i = 0; i < n; ++i) r[i] *= x[i];
    } else if constexpr (O == op::silu_slope) {
      float a[vector_block]{}, s[vector_block];   // sigmoid(-x): 1 - sigmoid(x) would cancel
      for (std::int64_t i = 0; i < n; ++i) a[i] = -x[i];
      sigmoid_block(s, a, n);
      for (std::int64_t i = 0; i < n; ++i) r[i] *= 1 + x[i] * s[i];
    }
    if constexpr (O != op::sigmoid) {   // a denormal sigmoid has lost its digits before it is multiplied
      each_denormal(x, n, [&](std::int64_t i) { r[i] = static_cast<float>(op_info<O>::apply(static_cast<double>(x[i]))); });
    }
  }
}

}  // namespace detail

/// r[i] = f(x[i]); r may be x.
template <op O> void vector_function(float* r, float const* x, std::int64_t n) {
  float a[detail::vector_block]{};
  for (std::int64_t i = 0; i < n; i += detail::vector_block) {
    std::int64_t const m = (std::min)(detail::vector_block, n - i);
    std::copy(x + i, x + i + m, a);
    detail::function_block<O>(r + i, a, m);
  }
}

}  // namespace dyadic::cpu
