// An executor for tests: a pool's, which notes how many chunks every run had.
#pragma once
#include <cstdint>
#include <vector>

#include "dyadic/exec/pool.hpp"

namespace test {

struct counting {
  dyadic::exec::pool& pool;
  std::vector<std::int64_t> runs;
  int threads() const { return pool.threads(); }
  template <class F> void run(std::int64_t chunks, F&& f) {
    runs.push_back(chunks);
    pool.run(chunks, f);
  }
};

}  // namespace test
