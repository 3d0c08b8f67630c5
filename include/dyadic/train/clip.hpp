// Clipping by the global norm: all gradients are scaled by one number when their common norm is too long.
#pragma once
#include <cmath>
#include <span>

#include "dyadic/axes/error.hpp"
#include "dyadic/cpu/unroll.hpp"
#include "dyadic/cpu/vector.hpp"

namespace dyadic::train {

/// The sum of squares in double: 16 sums of every 16th element, then theirs by pairs, whatever the processor's vectors. For float elements,
/// whose squares are exact, the same on every machine.
template <class T> double sum_of_squares(std::span<T const> gradient) {
  using D = cpu::vector_of<double>;
  constexpr int lanes = cpu::native_lanes<double>, vectors = 16 / lanes;
  D sums[vectors]{};
  auto const add = [&](T const* p) {
    cpu::detail::unroll<vectors>([&](auto k) DYADIC_INLINE {
      D const x = __builtin_convertvector((cpu::load<cpu::vector_of<T, lanes>>(p + k * lanes)), D);
      sums[k] += x * x;
    });
  };
  std::int64_t const n = std::ssize(gradient);
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) add(gradient.data() + i);
  if (i < n) {
    T rest[16]{};
    for (std::int64_t k = 0; i + k < n; ++k) rest[k] = gradient[static_cast<std::size_t>(i + k)];
    add(rest);
  }
  double part[16];
  for (int k = 0; k < 16; ++k) part[k] = sums[k / lanes][k % lanes];
  for (int half = 8; half > 0; half /= 2) for (int k = 0; k < half; ++k) part[k] += part[k + half];
  return part[0];
}

/// What every gradient is multiplied by so that the norm is at most `longest`: 1 when it already is.
/// Errors: argument, when the norm is not finite (no weight has been touched yet) or longest is not positive.
inline double clip_scale(double norm, double longest) {
  if (!std::isfinite(norm)) raise(error_kind::argument, "the gradient's norm is not finite");
  if (!(longest > 0)) raise(error_kind::argument, "the longest norm must be positive");
  return norm > longest ? longest / norm : 1.0;
}

}  // namespace dyadic::train
