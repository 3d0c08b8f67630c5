// Reductions over any axes: sum, maximum, minimum. What a group cannot do, and the end of a group's column sums. Each result has a thread,
// or, where results are few and their terms many, a block; either adds in a fixed order.
#pragma once
#include "dyadic/cuda/loops.hpp"
#include "dyadic/cuda/team.hpp"

namespace dyadic::cuda {

template <class T> struct reduce_arguments {
  T* r;
  T const* x;
  loops<2> results;   ///< result, operand
  loops<1> terms;     ///< operand
};

template <class T, op O, int Threads>
__global__ void __launch_bounds__(block_threads) reduce_elements(__grid_constant__ const reduce_arguments<T> a) {
  constexpr T start = combine<O>::template start<T>;
  std::int64_t const count = a.results.size(), terms = a.terms.size();
  auto const reduced = [&](std::int64_t from, int first, int step) {
    T all = start;
    for (std::int64_t k = first; k < terms; k += step) {
      std::int64_t at[1];
      a.terms.at(k, at);
      all = combine<O>()(all, a.x[from + at[0]]);
    }
    return all;
  };
  if constexpr (Threads == 1) {
    DYADIC_CUDA_EACH(i, count) {
      std::int64_t at[2];
      a.results.at(i, at);
      a.r[at[0]] = reduced(at[1], 0, 1);
    }
  } else {
    using threads = team<T, Threads, 0>;
    __shared__ typename threads::shared shared;
    threads on{shared, static_cast<int>(threadIdx.x)};
    for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x) {
      std::int64_t at[2];
      a.results.at(i, at);
      T const all = on.template reduce<O>(reduced(at[1], on.rank, Threads));
      if (on.rank == 0) a.r[at[0]] = all;
    }
  }
}

template <op O, class T> void reduce(reduce_arguments<T> const& a, cudaStream_t stream) {
  std::int64_t const count = a.results.size();
  if (count == 0) return;
  if (a.terms.size() >= 64 && count < 8192)
    reduce_elements<T, O, block_threads><<<blocks_for(count, 1), block_threads, 0, stream>>>(a);
  else
    reduce_elements<T, O, 1><<<blocks_for(count), block_threads, 0, stream>>>(a);
}

}  // namespace dyadic::cuda
