// The suite's shared parts, and the program's main.
#include "support/suite.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "support/ceilings.hpp"

namespace suite {

dyadic::exec::pool& pool_of(int threads) {
  static std::map<int, std::unique_ptr<dyadic::exec::pool>> pools;
  auto& p = pools[threads];
  if (!p) p = std::make_unique<dyadic::exec::pool>(threads);
  return *p;
}

double peak() {
  static double const best = [] {
    double rate = 0;
    for (int i = 0; i < 20; ++i) rate = std::max(rate, measured_fma_rate(200000));
    return rate;
  }();
  return best;
}

void count_flops(benchmark::State& s, double each, int threads) {
  using benchmark::Counter;
  s.counters["flops"] = Counter(each, Counter::kIsIterationInvariantRate);
  s.counters["of_peak"] = Counter(each / (peak() * threads), Counter::kIsIterationInvariantRate);
}
void count_bytes(benchmark::State& s, double each) {
  s.counters["bytes"] = benchmark::Counter(each, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1024);
}

std::vector<float> numbers(std::int64_t n, int salt) {
  std::vector<float> v(static_cast<std::size_t>(n));
  std::uint64_t state = 88172645463325252ull + static_cast<std::uint64_t>(salt) * 977;
  for (float& x : v) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x = static_cast<float>(static_cast<double>(state >> 40) / 16777216.0 - 0.5);
  }
  return v;
}

}  // namespace suite

int main(int argc, char** argv) {
  benchmark::AddCustomContext("compiler", suite::compiler_name());
  benchmark::AddCustomContext("vector_bytes", std::to_string(dyadic::cpu::native_bytes));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
