// Square roots of whole vectors, of arithmetic alone: an estimate of 1 / sqrt(x) from the exponent (J. F. Blinn, "Floating-point tricks"),
// Newton's steps, and one step for the root itself.
#pragma once
#include <limits>

#include "dyadic/cpu/vector.hpp"

namespace dyadic::cpu {

/// sqrt(x) for x >= 0 within 1 unit of the last place: 0 is 0, infinity is infinity, a NaN stays.
template <class V> [[gnu::always_inline]] inline V square_root(V const& given) {
  using T = element_of<V>;
  using U = bits_of<V>;
  constexpr bool single = sizeof(T) == 4;
  constexpr T small = single ? T(0x1p-100) : T(0x1p-960), up = single ? T(0x1p60) : T(0x1p200), down = single ? T(0x1p-30) : T(0x1p-100);
  auto const tiny = given < broadcast<V>(small);   // the estimate holds for normal numbers
  V const x = select<V>(tiny, given * up, given), half = x * T(0.5);
  constexpr auto magic = static_cast<element_of<U>>(single ? 0x5f375a86u : 0x5fe6eb50c7b537a9u);
  V y = as<V>(magic - (as<U>(x) >> 1));
  for (int i = 0; i < (single ? 3 : 4); ++i) y = y * (T(1.5) - half * y * y);
  V const s = x * y, root = s + T(0.5) * y * (x - s * s);
  V const r = select<V>(tiny, root * down, root);
  return select<V>(given > broadcast<V>((std::numeric_limits<T>::max)()), given, r);
}

}  // namespace dyadic::cpu
