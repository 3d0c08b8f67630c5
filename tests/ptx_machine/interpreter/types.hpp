// The scalar types of PTX, and the C++ types whose bits they are.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptx_machine {

enum class scalar : std::uint8_t {
  none, pred, b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64, f16, f16x2, bf16, bf16x2, f32, f64, tf32, f32x2, u16x2, s16x2
};

scalar scalar_named(std::string_view);       ///< "u32" to scalar::u32; scalar::none for what is no type
std::string_view name_of(scalar);

constexpr unsigned bits_of(scalar t) {
  switch (t) {
    case scalar::none: return 0;
    case scalar::pred: return 1;
    case scalar::b8: case scalar::u8: case scalar::s8: return 8;
    case scalar::b16: case scalar::u16: case scalar::s16: case scalar::f16: case scalar::bf16: return 16;
    case scalar::b64: case scalar::u64: case scalar::s64: case scalar::f64: case scalar::f32x2: return 64;
    default: return 32;
  }
}
constexpr unsigned bytes_of(scalar t) { return bits_of(t) / 8; }
constexpr bool is_signed(scalar t) { return t == scalar::s8 || t == scalar::s16 || t == scalar::s32 || t == scalar::s64; }
constexpr bool is_bits(scalar t) { return t >= scalar::b8 && t <= scalar::b64; }
constexpr bool is_integer(scalar t) { return t >= scalar::b8 && t <= scalar::s64; }   // bits count as unsigned
constexpr bool is_half(scalar t) { return t >= scalar::f16 && t <= scalar::bf16x2; }

/// Numbers of 16 bits are kept as their bits; pairs hold element 0 in the low half.
struct half { std::uint16_t bits; };
struct bfloat { std::uint16_t bits; };
template <class T> struct pair_of { T low, high; };
using half2 = pair_of<half>;
using bfloat2 = pair_of<bfloat>;
using float2 = pair_of<float>;
using ushort2 = pair_of<std::uint16_t>;
using short2 = pair_of<std::int16_t>;

template <class T> struct scalar_of_type;   // value: the scalar of arithmetic type T
#define PTX_MACHINE_SCALAR(T, s) template <> struct scalar_of_type<T> { static constexpr scalar value = scalar::s; };
PTX_MACHINE_SCALAR(std::uint8_t, u8) PTX_MACHINE_SCALAR(std::uint16_t, u16) PTX_MACHINE_SCALAR(std::uint32_t, u32)
PTX_MACHINE_SCALAR(std::uint64_t, u64) PTX_MACHINE_SCALAR(std::int8_t, s8) PTX_MACHINE_SCALAR(std::int16_t, s16)
PTX_MACHINE_SCALAR(std::int32_t, s32) PTX_MACHINE_SCALAR(std::int64_t, s64) PTX_MACHINE_SCALAR(half, f16)
PTX_MACHINE_SCALAR(bfloat, bf16) PTX_MACHINE_SCALAR(half2, f16x2) PTX_MACHINE_SCALAR(bfloat2, bf16x2)
PTX_MACHINE_SCALAR(float, f32) PTX_MACHINE_SCALAR(double, f64) PTX_MACHINE_SCALAR(float2, f32x2)
PTX_MACHINE_SCALAR(ushort2, u16x2) PTX_MACHINE_SCALAR(short2, s16x2)
#undef PTX_MACHINE_SCALAR
template <class T> inline constexpr scalar scalar_of = scalar_of_type<T>::value;

/// bN computes as uN.
constexpr scalar as_number(scalar t) {
  return is_bits(t) ? static_cast<scalar>(static_cast<int>(t) - static_cast<int>(scalar::b8) + static_cast<int>(scalar::u8)) : t;
}

template <class... T> struct type_list {};
using signed_types = type_list<std::int16_t, std::int32_t, std::int64_t>;
using integer_types = type_list<std::uint16_t, std::uint32_t, std::uint64_t, std::int16_t, std::int32_t, std::int64_t>;
using half_types = type_list<half, bfloat, half2, bfloat2>;
using float_types = type_list<float, double>;

}  // namespace ptx_machine
