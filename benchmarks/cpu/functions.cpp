// Transcendental functions over an array in the first-level cache, against a loop over the standard library's.
#include <cmath>

#include "dyadic/cpu/vector_functions.hpp"
#include "support/suite.hpp"

namespace {

using dyadic::op;

constexpr std::int64_t length = 4096;

template <class F> void measure(benchmark::State& s, F const& f) {
  std::vector<float> x = suite::numbers(length), r(x.size());
  for (float& v : x) v *= 16;   // from -8 to 8
  for (auto _ : s) {
    f(r.data(), x.data());
    benchmark::ClobberMemory();
  }
  s.counters["elements"] = benchmark::Counter(static_cast<double>(length), benchmark::Counter::kIsIterationInvariantRate);
}

template <op O, class F> void both(char const* name, F const& f) {
  suite::add({"functions", name}, benchmark::kMicrosecond, [](benchmark::State& s) {
    measure(s, [](float* r, float const* x) { dyadic::cpu::vector_function<O>(r, x, length); });
  });
  suite::add({"functions", name, "standard library"}, benchmark::kMicrosecond, [f](benchmark::State& s) {
    measure(s, [f](float* r, float const* x) { for (std::int64_t i = 0; i < length; ++i) r[i] = f(x[i]); });
  });
}

int const registered = [] {
  both<op::exp>("exp", [](float x) { return std::exp(x); });
  both<op::tanh>("tanh", [](float x) { return std::tanh(x); });
  both<op::sigmoid>("sigmoid", [](float x) { return 1 / (1 + std::exp(-x)); });
  both<op::silu>("silu", [](float x) { return x / (1 + std::exp(-x)); });
  both<op::gelu>("gelu", [](float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); });
  both<op::sin>("sin", [](float x) { return std::sin(x); });
  return 0;
}();

}  // namespace
