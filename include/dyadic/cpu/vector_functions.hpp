// Functions that the compiler does not vectorise, in float, over arrays; cpu/functions/ has them for one vector. Double keeps the standard
// library's, but for the exponential of softmax and attention (cpu/rows.hpp), to 2 units of the last place.
//
// Error against the true value, in units of its last place, for every float argument, with fused multiplication or without
// (tests/cpu/accuracy.cpp):
//   log 1; exp, erf 1.5; softplus 2; sigmoid, tanh, sin, cos 3; silu 3.5; gelu 7.5.
//   silu_slope 6, gelu_slope 4, and 2 epsilon absolute: they have roots, at -1.28 and -0.75.
//   gelu_tanh 4, gelu_tanh_slope 5 (and 2 epsilon absolute), and 3 for every unit of the exponent, 1.6 x + 0.07 x^3, which is rounded.
// Results below the least normal number are off by at most one denormal step, 2^-149, more than that; the gelus' by two. Infinities and NaN
// are those of the plain functions: exp(-inf) = 0, exp(inf) = inf, sigmoid(-inf) = 0, and silu(-inf) = -inf * 0 is NaN.
// No argument takes another path, but for sines of angles beyond 10000. A result does not depend on its position. Square roots are not
// here: a compiler's vectors have none, and loops over the standard library's are vectorised with -fno-math-errno.
#pragma once
#include <cstdint>
#include <type_traits>

#include "dyadic/cpu/functions/erf.hpp"
#include "dyadic/cpu/functions/exp.hpp"
#include "dyadic/cpu/functions/log.hpp"
#include "dyadic/cpu/functions/logistic.hpp"
#include "dyadic/cpu/functions/sin.hpp"
#include "dyadic/expr/op_table.hpp"

namespace dyadic::cpu {

template <op O, class T> inline constexpr bool has_vector_function =
    std::is_same_v<T, float> &&
    (O == op::exp || O == op::log || O == op::tanh || O == op::sigmoid || O == op::silu || O == op::silu_slope || O == op::gelu ||
     O == op::gelu_slope || O == op::gelu_tanh || O == op::gelu_tanh_slope || O == op::softplus || O == op::sin || O == op::cos ||
     O == op::erf);

/// The function of op O, of a vector of float.
template <op O, class V> [[gnu::always_inline]] inline V function_of(V const& x) {
  static_assert(has_vector_function<O, element_of<V>>);
  if constexpr (O == op::exp) return functions::exp<V>(x);
  else if constexpr (O == op::log) return functions::log<V>(x);
  else if constexpr (O == op::tanh) return functions::tanh<V>(x);
  else if constexpr (O == op::sigmoid) return functions::sigmoid<V>(x);
  else if constexpr (O == op::silu) return functions::silu<V>(x);
  else if constexpr (O == op::silu_slope) return functions::silu_slope<V>(x);
  else if constexpr (O == op::gelu) return functions::gelu<V>(x);
  else if constexpr (O == op::gelu_slope) return functions::gelu_slope<V>(x);
  else if constexpr (O == op::gelu_tanh) return functions::gelu_tanh<V>(x);
  else if constexpr (O == op::gelu_tanh_slope) return functions::gelu_tanh_slope<V>(x);
  else if constexpr (O == op::softplus) return functions::softplus<V>(x);
  else if constexpr (O == op::sin) return functions::sin<V>(x);
  else if constexpr (O == op::cos) return functions::cos<V>(x);
  else return functions::erf<V>(x);
}

/// r[i] = f(x[i]); r may be x.
template <op O> void vector_function(float* r, float const* x, std::int64_t n) {
  using V = vector_of<float>;
  map_vectors<V>(r, x, n, [](V const& v) __attribute__((always_inline)) { return function_of<O, V>(v); });
}

}  // namespace dyadic::cpu
