// Loops over the elements of a few arrays, as a kernel gets them: lengths, and every array's strides.
#pragma once
#include <cstdint>

#include "dyadic/axes/error.hpp"

namespace dyadic::cuda {

inline constexpr int max_dims = 8;

/// Outermost first. Streams: the arrays.
template <int Streams> struct loops {
  int dims = 0;
  std::int64_t n[max_dims]{};
  std::int64_t stride[Streams][max_dims]{};

  __host__ __device__ std::int64_t size() const {
    std::int64_t all = 1;
    for (int d = 0; d < dims; ++d) all *= n[d];
    return all;
  }
  /// The arrays' offsets at position i of the loops in row-major order. Divisions of 32 bits where the position fits.
  __device__ __forceinline__ void at(std::int64_t i, std::int64_t (&offset)[Streams]) const {
    for (int s = 0; s < Streams; ++s) offset[s] = 0;
    for (int d = dims; d-- > 0;) {
      std::int64_t next, here;
      if ((i | n[d]) >> 32) {
        next = i / n[d];
        here = i - next * n[d];
      } else {
        auto const small = static_cast<std::uint32_t>(i), length = static_cast<std::uint32_t>(n[d]);
        next = small / length;
        here = small - static_cast<std::uint32_t>(next) * length;
      }
      for (int s = 0; s < Streams; ++s) offset[s] += here * stride[s][d];
      i = next;
    }
  }
  /// Adds an inner loop; one of length 1 is none, and one that continues the loop before it in every array lengthens that.
  void add(std::int64_t length, std::int64_t const (&by)[Streams], bool join = true) {
    if (length == 1) return;
    if (join && dims > 0 && length > 0) {
      bool continues = true;
      for (int s = 0; s < Streams; ++s) continues = continues && stride[s][dims - 1] == by[s] * length;
      if (continues) {
        n[dims - 1] *= length;
        for (int s = 0; s < Streams; ++s) stride[s][dims - 1] = by[s];
        return;
      }
    }
    if (dims == max_dims) raise(error_kind::argument, "the CUDA engine walks at most 8 axes that do not lie one after another");
    n[dims] = length;
    for (int s = 0; s < Streams; ++s) stride[s][dims] = by[s];
    ++dims;
  }
};

/// Threads a block, and as many blocks as hold `work` threads, but no more than a launch may have.
inline constexpr int block_threads = 256;
inline unsigned blocks_for(std::int64_t work, std::int64_t of_block = block_threads) {
  std::int64_t const n = (work + of_block - 1) / of_block;
  return static_cast<unsigned>(n < 1 ? 1 : n > 0x7fffffff ? 0x7fffffff : n);
}
#define DYADIC_CUDA_EACH(i, count)                                                                        \
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < (count);    \
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)

}  // namespace dyadic::cuda
