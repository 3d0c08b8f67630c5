// Loops that are gone before the compiler's first pass, and values that stay in registers.
#pragma once
#include <type_traits>
#include <utility>

#define DYADIC_INLINE __attribute__((always_inline))   // of a lambda; a function has [[gnu::always_inline]] inline

namespace dyadic::cpu::detail {

/// f(0), ..., f(Count - 1), each with its number as a constant.
template <int Count, class F> [[gnu::always_inline]] inline void unroll(F&& f) {
  [&]<int... Index>(std::integer_sequence<int, Index...>) DYADIC_INLINE { (f(std::integral_constant<int, Index>{}), ...); }
  (std::make_integer_sequence<int, Count>{});
}

/// From here on v is in a register: the compiler may not read it from memory again at every use.
template <class V> [[gnu::always_inline]] inline void pin([[maybe_unused]] V& v) {
#if defined(__AVX512F__)
  __asm__("" : "+v"(v));
#elif defined(__SSE2__)
  __asm__("" : "+x"(v));
#endif
}

}  // namespace dyadic::cpu::detail
