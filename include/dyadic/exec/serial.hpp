// Executors say where a plan's kernels run. This one: here, on the calling thread.
#pragma once

namespace dyadic::exec {

struct serial {
  static constexpr int threads() { return 1; }
};

}  // namespace dyadic::exec
