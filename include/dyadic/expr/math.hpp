// Functions of real numbers in float and double, without <cmath>: that header alone would take half the time this library's core takes to
// compile. They are the same functions.
#pragma once

// Scalar functions of ops are compiled for host and device where nvcc compiles.
#if defined(__CUDACC__)
#define DYADIC_DEVICE __host__ __device__
#else
#define DYADIC_DEVICE
#endif

namespace dyadic::math {

// A device has the functions of the standard library, not a host compiler's built-in ones.
#if defined(__CUDA_ARCH__)
#define DYADIC_MATH_CALL(name, ...) ::name(__VA_ARGS__)
#else
#define DYADIC_MATH_CALL(name, ...) __builtin_##name(__VA_ARGS__)
#endif

template <class T> inline constexpr T infinity = static_cast<T>(__builtin_huge_val());

#define DYADIC_MATH_1(name)                                                          \
  DYADIC_DEVICE inline float name(float x) { return DYADIC_MATH_CALL(name##f, x); } \
  DYADIC_DEVICE inline double name(double x) { return DYADIC_MATH_CALL(name, x); }
#define DYADIC_MATH_2(name)                                                                    \
  DYADIC_DEVICE inline float name(float x, float y) { return DYADIC_MATH_CALL(name##f, x, y); } \
  DYADIC_DEVICE inline double name(double x, double y) { return DYADIC_MATH_CALL(name, x, y); }
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
DYADIC_DEVICE inline float ldexp(float x, int n) { return DYADIC_MATH_CALL(ldexpf, x, n); }
DYADIC_DEVICE inline double ldexp(double x, int n) { return DYADIC_MATH_CALL(ldexp, x, n); }
DYADIC_DEVICE inline int ilogb(float x) { return DYADIC_MATH_CALL(ilogbf, x); }
DYADIC_DEVICE inline int ilogb(double x) { return DYADIC_MATH_CALL(ilogb, x); }
DYADIC_DEVICE inline bool isfinite(float x) { return x - x == 0; }
DYADIC_DEVICE inline bool isfinite(double x) { return x - x == 0; }
DYADIC_DEVICE inline float abs(float x) { return DYADIC_MATH_CALL(fabsf, x); }
DYADIC_DEVICE inline double abs(double x) { return DYADIC_MATH_CALL(fabs, x); }
#undef DYADIC_MATH_CALL

}  // namespace dyadic::math
