// Random nodes: every element is a function of (seed, step, stream, linear index), so order, threads and recomputation do not matter.
// The generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once
#include <cstdint>

#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_list.hpp"

namespace dyadic::random_numbers {

struct random_block { std::uint32_t x[4]; };

/// One block of Philox 4x32-10.
DYADIC_DEVICE inline random_block philox(random_block c, std::uint32_t k0, std::uint32_t k1) {
  for (int i = 0; i < 10; ++i) {
    std::uint64_t const a = std::uint64_t{0xD2511F53u} * c.x[0], b = std::uint64_t{0xCD9E8D57u} * c.x[2];
    c = {{static_cast<std::uint32_t>(b >> 32) ^ c.x[1] ^ k0, static_cast<std::uint32_t>(b),
          static_cast<std::uint32_t>(a >> 32) ^ c.x[3] ^ k1, static_cast<std::uint32_t>(a)}};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// Uniform in [0, 1): 24 bits, the same number in float and double.
DYADIC_DEVICE inline double uniform_of(std::uint32_t x) { return static_cast<double>(x >> 8) * (1.0 / 16777216.0); }

/// The standard normal quantity made of two words (Box and Muller).
DYADIC_DEVICE inline double normal_of(std::uint32_t x, std::uint32_t y) {
  return math::sqrt(-2 * math::log1p(-uniform_of(x))) * math::cos(6.283185307179586 * uniform_of(y));
}

/// Number `index` of the stream `key`: uniform in [0, 1), and standard normal.
DYADIC_DEVICE inline random_block random_bits(std::uint64_t seed, std::uint64_t key, std::uint64_t index) {
  return philox({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(key),
                  static_cast<std::uint32_t>(key >> 32)}}, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}
DYADIC_DEVICE inline double random_uniform(std::uint64_t seed, std::uint64_t key, std::uint64_t index) {
  return uniform_of(random_bits(seed, key, index).x[0]);
}
DYADIC_DEVICE inline double random_normal(std::uint64_t seed, std::uint64_t key, std::uint64_t index) {
  random_block const r = random_bits(seed, key, index);
  return normal_of(r.x[0], r.x[1]);
}

/// The element `index` of stream `stream`.
DYADIC_DEVICE inline double random_value(op kind, double value, bool training, std::uint64_t seed, std::uint64_t step, int stream,
                                         std::uint64_t index) {
  if (kind == op::dropout_mask && !training) return 1;
  random_block const c{{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(stream),
                        static_cast<std::uint32_t>(step)}};
  std::uint64_t const key = seed ^ (step >> 32 << 32);
  random_block const r = philox(c, static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32));
  double const u = uniform_of(r.x[0]);
  if (kind == op::uniform) return u;
  if (kind == op::bernoulli) return u < value ? 1 : 0;
  if (kind == op::dropout_mask) return u < value ? 0 : 1 / (1 - value);
  return normal_of(r.x[0], r.x[1]);
}

}  // namespace dyadic::random_numbers
