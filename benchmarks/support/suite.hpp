// What every benchmark shares: rows with names that table.py reads, pools of threads, sums of work beside the machine's measured peak.
#pragma once
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dyadic/exec/pool.hpp"

namespace suite {

/// One line of the report: `group/name/who/threads:N`. No part has a slash.
struct row {
  std::string group, work, who = "dyadic";
  int threads = 1;
};

/// Registers f as a benchmark. Wall time counts: threads are the point.
inline void add(row const& r, benchmark::TimeUnit unit, std::function<void(benchmark::State&)> f) {
  std::string const name = r.group + "/" + r.work + "/" + r.who + "/threads:" + std::to_string(r.threads);
  benchmark::RegisterBenchmark(name.c_str(), [f = std::move(f)](benchmark::State& s) { f(s); })->UseRealTime()->Unit(unit);
}

/// Numbers of threads to measure with: one, and as many as there are cores.
inline std::vector<int> thread_counts() {
  int const all = dyadic::exec::cores();
  return all > 1 ? std::vector<int>{1, all} : std::vector<int>{1};
}
/// A pool of so many threads, which stays: its threads sleep while others are measured.
dyadic::exec::pool& pool_of(int threads);

/// Fused multiplications and additions a second of one thread, two a piece, from registers alone: the best of a few loops, measured once.
double peak();

/// The row's arithmetic: adds the counters `flops` (a second) and `of_peak` (a share of the measured peak of its threads).
void count_flops(benchmark::State& s, double each, int threads);
/// The row's memory traffic: adds the counter `bytes` (a second).
void count_bytes(benchmark::State& s, double each);

/// n numbers between -1/2 and 1/2, the same in every run.
std::vector<float> numbers(std::int64_t n, int salt = 0);

/// Keeps a result from being optimised away.
template <class T> void used(std::vector<T> const& v) {
  benchmark::DoNotOptimize(v.data());
  benchmark::ClobberMemory();
}

}  // namespace suite
