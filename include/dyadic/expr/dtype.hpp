// Element types of expressions. Arithmetic does not mix them; `cast<T>` converts.
#pragma once
#include <cstdint>

namespace dyadic {

enum class dtype : std::uint8_t { f32, bf16, i32, boolean };

// The tag types that expression types carry. f32 is "the engine's real number": the oracle evaluates it in double.
struct f32 { static constexpr dtype id = dtype::f32; };
struct bf16 { static constexpr dtype id = dtype::bf16; };
struct i32 { static constexpr dtype id = dtype::i32; };
struct boolean { static constexpr dtype id = dtype::boolean; };

constexpr char const* dtype_name(dtype t) {
  constexpr char const* names[] = {"f32", "bf16", "i32", "boolean"};
  return names[static_cast<int>(t)];
}

}  // namespace dyadic
