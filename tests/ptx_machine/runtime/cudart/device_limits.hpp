// The device that the stand-in says it is: the limits of compute capability 9.0, with few multiprocessors, so that grids sized by them are
// small enough to run.
#pragma once
#include <algorithm>
#include <cstddef>

namespace ptx_machine::cudart::limits {

inline constexpr int compute_major = 9, compute_minor = 0;
inline constexpr int multiprocessors = 4;
inline constexpr unsigned threads_per_block = 1024, threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
inline constexpr std::size_t shared_per_block = 48 << 10, shared_per_block_optin = 227 << 10, shared_per_multiprocessor = 228 << 10,
    shared_reserved = 1024;

/// Blocks of one multiprocessor by threads and shared memory. Registers are not known before ptxas: a real device may hold fewer.
inline unsigned resident_blocks(unsigned threads, std::size_t shared) {
  unsigned const by_threads = threads_per_multiprocessor / ((threads + 31) / 32 * 32);
  auto const by_shared = static_cast<unsigned>(shared_per_multiprocessor / (shared + shared_reserved));
  return threads > threads_per_block ? 0 : std::min({by_threads, by_shared, blocks_per_multiprocessor});
}

}  // namespace ptx_machine::cudart::limits
