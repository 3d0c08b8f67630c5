// What the machine can do at most, measured with loops that do nothing else.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "dyadic/cpu/unroll.hpp"
#include "dyadic/cpu/vector.hpp"

namespace suite {

/// Accumulators that hide the latency of a multiplication and leave registers for its operands.
#if defined(__AVX512F__)
inline constexpr int chains = 24;
#else
inline constexpr int chains = 12;
#endif
using vector = dyadic::cpu::vector_of<float>;

/// `rounds` multiplications and additions in each of the chains, from registers alone. Returns how many operations on numbers that was.
inline double fma_loop(std::int64_t rounds) {
  using dyadic::cpu::detail::pin;
  using dyadic::cpu::detail::unroll;
  vector x = dyadic::cpu::broadcast<vector>(0.999f), y = dyadic::cpu::broadcast<vector>(0.001f), s[chains];
  unroll<chains>([&](auto i) DYADIC_INLINE { s[i] = dyadic::cpu::broadcast<vector>(static_cast<float>(decltype(i)::value)); });
  pin(x);
  pin(y);
  for (std::int64_t k = 0; k < rounds; ++k) unroll<chains>([&](auto i) DYADIC_INLINE { s[i] = s[i] * x + y; });
  unroll<chains>([&](auto i) DYADIC_INLINE { benchmark::DoNotOptimize(s[i]); });
  return 2.0 * chains * dyadic::cpu::native_lanes<float> * static_cast<double>(rounds);
}

inline double measured_fma_rate(std::int64_t rounds) {
  auto const begin = std::chrono::steady_clock::now();
  double const done = fma_loop(rounds);
  return done / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Reads n numbers, a multiple of 8 vectors, and adds them up.
inline float read_loop(float const* p, std::int64_t n) {
  using dyadic::cpu::detail::unroll;
  constexpr int lanes = dyadic::cpu::native_lanes<float>;
  vector s[8]{};
  for (std::int64_t k = 0; k + 8 * lanes <= n; k += 8 * lanes)
    unroll<8>([&](auto i) DYADIC_INLINE { s[i] += dyadic::cpu::load<vector>(p + k + i * lanes); });
  for (int i = 1; i < 8; ++i) s[0] += s[i];
  return dyadic::cpu::sum(s[0]);
}

/// Copies n numbers, a multiple of 4 vectors: as much is read as written.
inline void copy_loop(float* to, float const* from, std::int64_t n) {
  using dyadic::cpu::detail::unroll;
  constexpr int lanes = dyadic::cpu::native_lanes<float>;
  for (std::int64_t k = 0; k + 4 * lanes <= n; k += 4 * lanes)
    unroll<4>([&](auto i) DYADIC_INLINE {
      dyadic::cpu::store<vector>(to + k + i * lanes, dyadic::cpu::load<vector>(from + k + i * lanes));
    });
}

inline std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "another";
#endif
}

}  // namespace suite
