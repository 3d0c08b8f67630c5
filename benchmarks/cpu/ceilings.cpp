// The ceilings of the report: multiplications and additions from registers, and reading and copying from every level of the memory.
#include <algorithm>

#include "support/ceilings.hpp"
#include "support/suite.hpp"

namespace {

/// Bytes of the processor's cache of a level, or 0.
std::int64_t cache_size(int level) {
  for (auto const& c : benchmark::CPUInfo::Get().caches)
    if (c.level == level && c.type != "Instruction") return c.size;
  return 0;
}

struct level { char const* name; std::int64_t bytes; };   // of all threads together, but for L2, which each has

std::vector<level> levels() {
  std::int64_t const second = cache_size(2) > 0 ? cache_size(2) : 512 << 10;
  std::int64_t const third = std::max(cache_size(3), 4 * second);
  return {{"L2", second / 2}, {"L3", std::max(2 * second, std::min<std::int64_t>(third / 4, 8 << 20))},
          {"DRAM", std::max<std::int64_t>(256 << 20, 4 * third)}};
}

std::int64_t whole(std::int64_t n) { return n / (8 * dyadic::cpu::native_lanes<float>) * (8 * dyadic::cpu::native_lanes<float>); }

int const registered = [] {
  using namespace suite;
  for (int threads : thread_counts()) {
    add({"ceilings", "fma", "machine", threads}, benchmark::kMicrosecond, [threads](benchmark::State& s) {
      auto& on = pool_of(threads);
      double done = 0;
      for (auto _ : s) {
        on.run(threads, [](std::int64_t, int) { fma_loop(20000); });
        done = 2.0 * chains * dyadic::cpu::native_lanes<float> * 20000 * threads;
      }
      count_flops(s, done, threads);
    });
    for (level const l : levels()) {
      bool const each = std::string(l.name) == "L2";
      for (bool const copied : {false, true})
        add({"ceilings", std::string(copied ? "copy " : "read ") + l.name, "machine", threads}, benchmark::kMicrosecond,
            [threads, l, each, copied](benchmark::State& s) {
              auto& on = pool_of(threads);
              // A part for each thread; a copy's two sides share the level.
              std::int64_t const n = whole(l.bytes / 4 / (each ? 1 : threads) / (copied ? 2 : 1));
              std::vector<float> const from = numbers(n * threads);
              std::vector<float> to(copied ? from.size() : 0);
              std::vector<float> sums(static_cast<std::size_t>(threads) * 64);
              std::int64_t const again = std::max<std::int64_t>(1, (1 << 20) / n);   // a run costs some microseconds
              for (auto _ : s) {
                on.run(threads, [&](std::int64_t part, int) {
                  for (std::int64_t k = 0; k < again; ++k) {
                    if (copied) copy_loop(to.data() + part * n, from.data() + part * n, n);
                    else sums[static_cast<std::size_t>(part) * 64] += read_loop(from.data() + part * n, n);
                    benchmark::ClobberMemory();
                  }
                });
              }
              used(sums);
              count_bytes(s, static_cast<double>(n * again * threads) * 4 * (copied ? 2 : 1));
            });
    }
  }
  return 0;
}();

}  // namespace
