// Halves of products of integers.
#pragma once
#include <cstdint>
#include <type_traits>

namespace ptx_machine::products {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

template <class T> T low(T a, T b) { return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); }

template <class T> T high(T a, T b) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(int128(a) * int128(b) >> (sizeof(T) * 8));
  else return static_cast<T>(uint128(a) * uint128(b) >> (sizeof(T) * 8));
}

template <class T> T sum(T a, T b) { return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); }

}  // namespace ptx_machine::products
