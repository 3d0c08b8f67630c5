// Random numbers without a state: a number is a function of where it is used, so it does not depend on threads, on the order of
// evaluation, or on how often something is computed again.
#pragma once
#include <cstdint>

namespace dyadic {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a bijection in which every input bit reaches every output bit.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// 64 random bits for a seed and a position of up to three numbers, each mixed in by itself.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  return mix_bits(mix_bits(mix_bits(mix_bits(seed) ^ a) ^ b) ^ c);
}

/// Bits as a number in [0, 1): 53 of them, so that 1 is never reached by rounding.
constexpr double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Bits as a whole number in [0, n), n > 0: the high half of a 64 x 64 bit product, off from uniform by at most n / 2^64.
constexpr std::uint64_t below(std::uint64_t n, std::uint64_t bits) {
  std::uint64_t const low_n = n & 0xffffffffu, high_n = n >> 32, low_b = bits & 0xffffffffu, high_b = bits >> 32;
  std::uint64_t const middle = high_n * low_b + ((low_n * low_b) >> 32);
  std::uint64_t const other = low_n * high_b + (middle & 0xffffffffu);
  return high_n * high_b + (middle >> 32) + (other >> 32);
}

}  // namespace dyadic
