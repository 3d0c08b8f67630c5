// x in another element type: i32 truncates toward zero (and saturates; NaN gives 0), boolean is x != 0, bf16 rounds to nearest even,
// f32 is the identity. bf16 passes the gradient on unchanged; integers and booleans have none.
#pragma once
#include <cstdint>

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/math.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

namespace detail {
/// The nearest bf16, ties to even. 8 significant bits, the exponents of float.
DYADIC_DEVICE inline float round_to_bf16(float x) {
  if (x != x) return x;
  std::uint32_t const u = __builtin_bit_cast(std::uint32_t, x);
  return __builtin_bit_cast(float, (u + 0x7fffu + (u >> 16 & 1u)) & 0xffff0000u);
}
/// In one rounding, not by way of float.
DYADIC_DEVICE inline double round_to_bf16(double x) {
  if (x == 0 || !math::isfinite(x)) return x;
  int exponent = math::ilogb(x);
  if (exponent < -126) exponent = -126;                        // denormals have a fixed grain
  double const r = math::ldexp(math::nearbyint(math::ldexp(x, 7 - exponent)), exponent - 7);
  return math::abs(r) >= 0x1p128 ? math::copysign(math::infinity<double>, x) : r;
}
}  // namespace detail

template <> struct op_info<op::cast> : map_op_info<1> {
  static constexpr bool zero_through(node const&, int) { return true; }
  /// The only scalar function that needs its node: `to` is the node's type.
  template <class T> DYADIC_DEVICE static T apply(T x, dtype to) {
    switch (to) {
      case dtype::f32: return x;
      case dtype::bf16: return detail::round_to_bf16(x);
      case dtype::boolean: return static_cast<T>(x != 0);
      case dtype::i32: break;
    }
    if (x != x) return 0;
    if (x >= T(2147483647)) return T(2147483647);
    return x <= T(-2147483648.0) ? T(-2147483648.0) : math::trunc(x);
  }
  static constexpr void adjoint(gradient& g, int i, int d) {
    auto const real = [](dtype t) { return t == dtype::f32 || t == dtype::bf16; };
    if (real(g.at(i).type) && real(g.at(g.arg(i, 0)).type)) g.give_arg(i, 0, d);
  }
};

/// cast<i32>(x): x in the element type U.
template <class U, class List, class T, class H> constexpr auto cast(expr<List, T, H> x) {
  if constexpr (std::is_same_v<U, T>) return x;
  else return map_op<op::cast, U>(x);
}

}  // namespace dyadic
