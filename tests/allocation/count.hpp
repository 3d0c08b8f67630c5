// Counts requests for memory: this program's malloc and its kin, mmap and operator new are defined in count.cpp and forward to the C library's.
#pragma once
#include <cstdint>

namespace test {

/// What has been asked for so far, on the calling thread and on all threads: calls of malloc, calloc, realloc, free, posix_memalign,
/// aligned_alloc, memalign and mmap, operator new's among them.
struct requests {
  std::int64_t here = 0, everywhere = 0;
};

/// Whether the counts count: not under sanitizers, which define the same functions, nor with another C library than glibc.
bool counts_requests();
requests requests_so_far();

/// Requests while f runs.
template <class F> requests requests_of(F&& f) {
  requests const before = requests_so_far();
  f();
  requests const after = requests_so_far();
  return {after.here - before.here, after.everywhere - before.everywhere};
}

}  // namespace test
