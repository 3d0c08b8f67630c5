// Evaluation of live expressions, compiled once for all test programs, in live.cpp.
#pragma once
#include "dyadic/exec/eval.hpp"
#include "support/engines.hpp"

extern template class dyadic::detail::live_trace<float>;
extern template class dyadic::detail::live_trace<double>;
