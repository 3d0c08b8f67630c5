// Functions that the compiler does not vectorise, in float, through Eigen's packet mathematics. Double keeps the standard library's.
// Eigen's end where results stop being normal numbers (e^-88 stays 3e-39 forever, log takes the least normal number for a denormal
// one), so blocks that reach there have those elements computed again, one by one.
//
// Error against the true value, in units of its last place, for every float argument (tests/cpu/accuracy.cpp):
//   exp, log 2; sin, cos, sigmoid 4; tanh 8; silu 5. Square roots are not here: Eigen's take denormal numbers for 0.
//   silu_slope 8, and 2 epsilon absolute: it has a root at -1.28.
// Results below the least normal number are off by at most one denormal step, 2^-149. Infinities and NaN are those of the plain
// functions: exp(-inf) = 0, exp(inf) = inf, sigmoid(-inf) = 0, and silu(-inf) = -inf * 0 is NaN.
// exp_in_place (softmax, attention) is as exp in float, and as it in double, where Eigen's ends at e^-709.
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
                                 O == op::silu_slope || O == op::sin || O == op::cos);

namespace detail {

inline constexpr std::int64_t vector_block = 64;
template <class T> using packets = Eigen::Array<T, Eigen::Dynamic, 1>;
/// Above `normal`, e^x is a normal number; below `zero`, e^x, x e^x and x^2 e^x round to 0.
template <class T> struct exp_range;
template <> struct exp_range<float> { static constexpr float normal = -87, zero = -115; };
template <> struct exp_range<double> { static constexpr double normal = -708, zero = -765; };

/// Whether an x is below `normal`: one test for many elements, which the compiler vectorises.
template <class T> bool any_below(T const* x, std::int64_t n, T normal) {
  int some = 0;
  for (std::int64_t i = 0; i < n; ++i) some |= static_cast<int>(x[i] < normal);
  return some != 0;
}

/// r = e^r.
template <class T> void exp_in_place(T* r, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += vector_block, r += vector_block) {
    std::int64_t const m = (std::min)(vector_block, n - i);
    Eigen::Map<packets<T>> all(r, m);
    if (!any_below(r, m, exp_range<T>::normal)) { all = all.exp(); continue; }
    T x[vector_block];
    std::copy(r, r + m, x);
    all = all.exp();
    for (std::int64_t j = 0; j < m; ++j)
      if (x[j] < exp_range<T>::normal) r[j] = x[j] < exp_range<T>::zero ? T(0) : std::exp(x[j]);
  }
}

/// At most vector_block elements; r is not x.
template <op O> void function_block(float* r, float const* x, std::int64_t n) {
  Eigen::Map<packets<float>> out(r, n);
  Eigen::Map<packets<float> const> in(x, n);
  if constexpr (O == op::exp) {
    std::copy(x, x + n, r);
    exp_in_place(r, n);
  } else if constexpr (O == op::tanh) out = in.tanh();
  else if constexpr (O == op::sin) out = in.sin();
  else if constexpr (O == op::cos) out = in.cos();
  else if constexpr (O == op::log) {
    out = in.log();
    constexpr float least = (std::numeric_limits<float>::min)();
    if (any_below(x, n, least))
      for (std::int64_t i = 0; i < n; ++i) if (x[i] > 0 && x[i] < least) r[i] = std::log(x[i]);
  } else {   // by way of e^-|x|, which does not overflow and keeps small results
    for (std::int64_t i = 0; i < n; ++i) r[i] = -std::abs(x[i]);
    exp_in_place(r, n);
    for (std::int64_t i = 0; i < n; ++i) {
      float const e = r[i], sum = 1 + e, part = x[i] < 0 ? e : 1.0f;
      if constexpr (O == op::sigmoid) r[i] = part / sum;
      else if constexpr (O == op::silu) r[i] = x[i] * (part / sum);
      else r[i] = part / sum * (1 + x[i] * (e / part / sum));   // the last is sigmoid(-x): 1 - sigmoid(x) would cancel
    }
    // A denormal sigmoid has lost its digits before it is multiplied.
    if (O != op::sigmoid && any_below(x, n, exp_range<float>::normal))
      for (std::int64_t i = 0; i < n; ++i)
        if (x[i] < exp_range<float>::normal) r[i] = static_cast<float>(op_info<O>::apply(static_cast<double>(x[i])));
  }
}

}  // namespace detail

/// r[i] = f(x[i]); r may be x.
template <op O> void vector_function(float* r, float const* x, std::int64_t n) {
  static_assert(has_vector_function<O, float>);
  float a[detail::vector_block];
  for (std::int64_t i = 0; i < n; i += detail::vector_block) {
    std::int64_t const m = (std::min)(detail::vector_block, n - i);
    if (r == x) std::copy(x + i, x + i + m, a);
    detail::function_block<O>(r + i, r == x ? a : x + i, m);
  }
}

}  // namespace dyadic::cpu
