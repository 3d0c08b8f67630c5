// Executors say where a plan's kernels run. This one: here, on the calling thread.
#pragma once
#include <cstdint>

namespace dyadic::exec {

struct serial {
  static constexpr int threads() { return 1; }
  template <class F> static void run(std::int64_t chunks, F&& f) { for (std::int64_t c = 0; c < chunks; ++c) f(c, 0); }
};

}  // namespace dyadic::exec
