// Functions of real numbers in float and double, without <cmath>: that header alone would take half the time this library's core takes to
// compile. They are the same functions.
#pragma once

namespace dyadic::math {

#define DYADIC_MATH_1(name)                                          \
  inline float name(float x) { return __builtin_##name##f(x); }      \
  inline double name(double x) { return __builtin_##name(x); }
#define DYADIC_MATH_2(name)                                                      \
  inline float name(float x, float y) { return __builtin_##name##f(x, y); }      \
  inline double name(double x, double y) { return __builtin_##name(x, y); }
DYADIC_MATH_1(exp)
DYADIC_MATH_1(log)
DYADIC_MATH_1(log1p)
DYADIC_MATH_1(sqrt)
DYADIC_MATH_1(tanh)
DYADIC_MATH_1(sin)
DYADIC_MATH_1(cos)
DYADIC_MATH_1(erf)
DYADIC_MATH_1(erfc)
DYADIC_MATH_1(fabs)
DYADIC_MATH_1(floor)
DYADIC_MATH_1(trunc)
DYADIC_MATH_1(nearbyint)
DYADIC_MATH_2(pow)
DYADIC_MATH_2(fmod)
DYADIC_MATH_2(copysign)
#undef DYADIC_MATH_1
#undef DYADIC_MATH_2
inline float ldexp(float x, int n) { return __builtin_ldexpf(x, n); }
inline double ldexp(double x, int n) { return __builtin_ldexp(x, n); }
inline int ilogb(float x) { return __builtin_ilogbf(x); }
inline int ilogb(double x) { return __builtin_ilogb(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }

}  // namespace dyadic::math
