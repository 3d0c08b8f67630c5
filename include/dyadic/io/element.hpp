// Element types of files, and their conversion from and to the numbers of this program. Bytes may lie at any alignment.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <span>
#include <string_view>
#include <type_traits>

#include "dyadic/axes/error.hpp"

namespace dyadic::io {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

enum class element : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

namespace detail {
struct element_row { char const* name; int bytes; };
inline constexpr element_row element_rows[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                                               {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U8", 1},   {"BOOL", 1}};
inline constexpr int element_count = static_cast<int>(sizeof(element_rows) / sizeof(element_rows[0]));
}  // namespace detail

/// The name as files spell it: "F32".
constexpr char const* element_name(element e) { return detail::element_rows[static_cast<int>(e)].name; }
constexpr int element_bytes(element e) { return detail::element_rows[static_cast<int>(e)].bytes; }

/// False when no element type has this name.
constexpr bool element_named(std::string_view name, element& e) {
  for (int i = 0; i < detail::element_count; ++i) {
    if (name == detail::element_rows[i].name) { e = static_cast<element>(i); return true; }
  }
  return false;
}

constexpr float float_of_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

/// Rounds to nearest, ties to even; NaN stays NaN.
constexpr std::uint16_t bf16_of_float(float x) {
  std::uint32_t const u = std::bit_cast<std::uint32_t>(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((u >> 16) | 0x40u);
  return static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

constexpr float float_of_f16(std::uint16_t bits) {
  std::uint32_t const sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  std::uint32_t const exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
  if (exponent == 0) {   // a subnormal is fraction * 2^-24, which a float holds exactly
    float const magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  std::uint32_t const wide = exponent == 31 ? 0xffu : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

/// The element type that holds a T as it is.
template <class T> constexpr element element_of() {
  if constexpr (std::is_same_v<T, double>) return element::f64;
  else if constexpr (std::is_same_v<T, float>) return element::f32;
  else if constexpr (std::is_same_v<T, std::int64_t>) return element::i64;
  else if constexpr (std::is_same_v<T, std::int32_t>) return element::i32;
  else if constexpr (std::is_same_v<T, std::int16_t>) return element::i16;
  else if constexpr (std::is_same_v<T, std::int8_t>) return element::i8;
  else { static_assert(std::is_same_v<T, std::uint8_t>, "no element type for this T"); return element::u8; }
}

namespace detail {
template <class Stored, class T, class F> void convert_as(std::byte const* from, std::span<T> to, F value) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Stored x;
    std::memcpy(&x, from + i * sizeof(Stored), sizeof(Stored));
    to[i] = static_cast<T>(value(x));
  }
}
}  // namespace detail

/// Every element as a T: to float by rounding; to an integer only from a stored integer or boolean.
/// `from` holds to.size() elements. Errors: argument, when an integer is asked from stored reals.
template <class T> void convert(element e, std::byte const* from, std::span<T> to) {
  auto same = [](auto x) { return x; };
  if (std::is_integral_v<T> && e <= element::bf16)
    raise(error_kind::argument, std::string(element_name(e)) + " elements are not integers");
  switch (e) {
    case element::f64: return detail::convert_as<double>(from, to, same);
    case element::f32: return detail::convert_as<float>(from, to, same);
    case element::f16: return detail::convert_as<std::uint16_t>(from, to, float_of_f16);
    case element::bf16: return detail::convert_as<std::uint16_t>(from, to, float_of_bf16);
    case element::i64: return detail::convert_as<std::int64_t>(from, to, same);
    case element::i32: return detail::convert_as<std::int32_t>(from, to, same);
    case element::i16: return detail::convert_as<std::int16_t>(from, to, same);
    case element::i8: return detail::convert_as<std::int8_t>(from, to, same);
    case element::u8: return detail::convert_as<std::uint8_t>(from, to, same);
    case element::boolean: return detail::convert_as<std::uint8_t>(from, to, [](std::uint8_t x) { return x != 0; });
  }
}

}  // namespace dyadic::io
