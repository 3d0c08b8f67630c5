// One operation of float or double under a rounding of the caller's choice, with the modifiers .ftz and .sat around it.
#pragma once
#include <xmmintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "interpreter/instruction.hpp"

namespace ptx_machine {

/// Sets the rounding of SSE arithmetic, and puts back what was set before.
class rounding_scope {
 public:
  explicit rounding_scope(rounding m) : before_(_mm_getcsr()) {
    constexpr unsigned field[] = {0x0000, 0x6000, 0x2000, 0x4000, 0x0000};   // nearest, zero, down, up
    _mm_setcsr((before_ & ~0x6000u) | field[static_cast<unsigned>(m)]);
  }
  ~rounding_scope() { _mm_setcsr(before_); }
  rounding_scope(rounding_scope const&) = delete;
  rounding_scope& operator=(rounding_scope const&) = delete;

 private:
  unsigned before_;
};

inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fffffffu) : x; }   // the only NaN of f32 results
inline double canonical(double x) { return x; }

inline float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
inline double flush(double x) { return x; }   // .ftz is of f32 alone

template <class T> T saturate(T x) { return x > 0 ? x < 1 ? x : T(1) : T(0); }   // NaN and -0 become +0

/// op(a...) under the flags of an instruction. Operands and result go through memory, which keeps the operation between the two changes of
/// rounding.
template <class Op, class... T> auto rounded(std::uint16_t flags, Op op, T... operands) {
  using result = std::common_type_t<T...>;
  bool const ftz = flags & flag::ftz;
  result volatile r;
  {
    rounding_scope const scope(static_cast<rounding>(flags & flag::rounding_mask));
    auto const opaque = [ftz](result x) {
      result const volatile kept = ftz ? flush(x) : x;
      return static_cast<result>(kept);
    };
    r = op(opaque(operands)...);
  }
  result out = canonical(static_cast<result>(r));
  if (ftz) out = flush(out);
  return flags & flag::saturate ? saturate(out) : out;
}

}  // namespace ptx_machine
