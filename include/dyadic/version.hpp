// The library's version, and the two build settings it refuses or warns about.
#pragma once

#define DYADIC_VERSION_MAJOR 0
#define DYADIC_VERSION_MINOR 1
#define DYADIC_VERSION_PATCH 0
#define DYADIC_VERSION (DYADIC_VERSION_MAJOR * 10000 + DYADIC_VERSION_MINOR * 100 + DYADIC_VERSION_PATCH)

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "dyadic: -ffast-math removes the infinities that masks are made of; compile without it"
#endif
