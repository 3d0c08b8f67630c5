// core.hpp and the CPU engine: running programs, live tensors.
#pragma once
// Define DYADIC_PORTABLE to say that a build without vector instructions is meant.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__AVX2__) && !defined(DYADIC_PORTABLE)
#pragma message("dyadic: built without vector instructions; add -march=native, or define DYADIC_PORTABLE")
#endif

#include "dyadic/core.hpp"
#include "dyadic/exec/eval.hpp"
#include "dyadic/exec/parameters.hpp"
#include "dyadic/exec/runner.hpp"
#include "dyadic/exec/serial.hpp"
