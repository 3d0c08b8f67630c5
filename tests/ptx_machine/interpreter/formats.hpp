// Floating-point formats of 16 bits (and tf32), through double: every value of theirs is one of double's, and results are rounded once.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "types.hpp"

namespace ptx_machine {

enum class rounding : std::uint8_t { nearest, zero, down, up, nearest_away };

/// x rounded to a format with the given exponent and mantissa bits (the sign not counted), as its bits. NaN becomes all ones but the sign.
constexpr std::uint32_t encode(double x, int exponent_bits, int mantissa_bits, rounding mode) {
  auto const all = std::bit_cast<std::uint64_t>(x);
  bool const negative = all >> 63;
  std::uint32_t const sign = std::uint32_t(negative) << (exponent_bits + mantissa_bits);
  std::uint32_t const infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  int const raw = static_cast<int>(all >> 52 & 0x7ff), bias = (1 << (exponent_bits - 1)) - 1;
  std::uint64_t fraction = all & ((std::uint64_t(1) << 52) - 1);
  if (raw == 0x7ff) return fraction ? infinity | ((1u << mantissa_bits) - 1) : sign | infinity;
  if (raw == 0 && fraction == 0) return sign;
  if (raw) fraction |= std::uint64_t(1) << 52;
  int exponent = (raw ? raw : 1) - 1023 + bias;          // in the target's bias
  int drop = 52 - mantissa_bits;                         // bits of fraction to round away
  if (exponent < 1) drop += 1 - exponent, exponent = 0;  // subnormal
  std::uint64_t kept = drop < 64 ? fraction >> drop : 0;
  std::uint64_t const lost = drop < 64 ? fraction - (kept << drop) : fraction;
  std::uint64_t const tie = drop <= 64 ? std::uint64_t(1) << (drop - 1) : ~std::uint64_t(0);
  bool increment = false;
  switch (mode) {
    case rounding::nearest: increment = lost > tie || (lost == tie && (kept & 1)); break;
    case rounding::nearest_away: increment = lost >= tie; break;
    case rounding::zero: break;
    case rounding::down: increment = negative && lost; break;
    case rounding::up: increment = !negative && lost; break;
  }
  kept += increment;
  std::uint64_t bits = kept;                              // a subnormal, perhaps grown into the least normal number
  if (exponent) bits = kept + (static_cast<std::uint64_t>(exponent - 1) << mantissa_bits);   // a carry moves on into the exponent
  if (bits >= infinity) {
    bool const away = mode == rounding::nearest || mode == rounding::nearest_away || (mode == rounding::up) == !negative;
    return sign | (mode != rounding::zero && away ? infinity : infinity - 1);
  }
  return sign | static_cast<std::uint32_t>(bits);
}

inline double decode(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  int const exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1)), bias = (1 << (exponent_bits - 1)) - 1;
  std::uint32_t const fraction = bits & ((1u << mantissa_bits) - 1);
  double const sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - mantissa_bits);
  return sign * std::ldexp(fraction + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

inline double to_double(half x) { return decode(x.bits, 5, 10); }
inline double to_double(bfloat x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }
inline double to_double(float x) { return x; }
inline double to_double(double x) { return x; }

template <class T> T from_double(double, rounding = rounding::nearest);
template <> inline half from_double<half>(double x, rounding m) { return {static_cast<std::uint16_t>(encode(x, 5, 10, m))}; }
template <> inline bfloat from_double<bfloat>(double x, rounding m) { return {static_cast<std::uint16_t>(encode(x, 8, 7, m))}; }
template <> inline float from_double<float>(double x, rounding m) { return std::bit_cast<float>(encode(x, 8, 23, m)); }

/// The 32 bits of a tf32: 8 exponent and 10 mantissa bits at the top of a float, the rest zeros.
inline std::uint32_t to_tf32(double x, rounding m) { return encode(x, 8, 10, m) << 13; }

/// a + b rounded to odd: rounding that once more to at most 51 bits gives what rounding the exact sum would.
inline double sum_to_odd(double a, double b) {
  double const s = a + b;
  if (!std::isfinite(s)) return s;
  double const part = s - a, lost = (a - (s - part)) + (b - part);   // the exact error of s
  auto const bits = std::bit_cast<std::uint64_t>(s);
  if (lost == 0 || (bits & 1)) return s;
  return std::bit_cast<double>(std::signbit(lost) == std::signbit(s) ? bits + 1 : bits - 1);
}

}  // namespace ptx_machine
