// The engines of all test programs are compiled once, in engines.cpp. The functions that reach every kernel are named one by one: members
// defined in a class may be instantiated again to be inlined.
#pragma once
#include "dyadic/exec/runner.hpp"

#define DYADIC_TEST_ENGINES(how, T)                                                                                                     \
  how void dyadic::cpu::detail::prepare<T>(dyadic::cpu::engine<T>&, dyadic::cpu::task<T>&, std::vector<char> const&);                    \
  how class dyadic::cpu::interpreter<T>;                                                                                                 \
  how class dyadic::runner<T>;

DYADIC_TEST_ENGINES(extern template, float)
DYADIC_TEST_ENGINES(extern template, double)
