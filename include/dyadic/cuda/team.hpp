// The threads that compute one row together: a warp, or a whole block. What one of them reads, or they reduce, all of them have.
#pragma once
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "dyadic/cuda/apply.hpp"
#include "dyadic/cuda/loops.hpp"
#include "dyadic/cuda/unroll.hpp"

namespace dyadic::cuda {

inline constexpr int warp_threads = 32;

template <class T, int Threads, int Numbers> struct team;

/// A warp: numbers go from lane to lane, reductions through CUB's shuffles.
template <class T, int Numbers> struct team<T, warp_threads, Numbers> {
  using reduction = cub::WarpReduce<T>;
  struct shared { typename reduction::TempStorage room[block_threads / warp_threads]; };
  shared& s;
  int rank;

  /// numbers[k] = load(k) for k < Numbers, read by one thread.
  template <class Load> __device__ __forceinline__ void numbers(T (&to)[Numbers > 0 ? Numbers : 1], Load&& load) {
    if constexpr (Numbers > 0) {
      if (rank == 0) unroll<Numbers>([&](auto k) { to[decltype(k)::value] = load(k); });
      unroll<Numbers>([&](auto k) { to[decltype(k)::value] = __shfl_sync(0xffffffffu, to[decltype(k)::value], 0); });
    }
  }
  template <op O> __device__ __forceinline__ T reduce(T x) {
    T const all = reduction(s.room[threadIdx.y]).Reduce(x, combine<O>());
    __syncwarp();   // the room is used again
    return __shfl_sync(0xffffffffu, all, 0);
  }
  __device__ __forceinline__ void finish_row() {}
};

/// A block: through shared memory.
template <class T, int Threads, int Numbers> struct team {
  using reduction = cub::BlockReduce<T, Threads>;
  struct shared {
    typename reduction::TempStorage room;
    T all;
    T number[Numbers > 0 ? Numbers : 1];
  };
  shared& s;
  int rank;

  template <class Load> __device__ __forceinline__ void numbers(T (&to)[Numbers > 0 ? Numbers : 1], Load&& load) {
    if constexpr (Numbers > 0) {
      if (rank == 0) unroll<Numbers>([&](auto k) { s.number[decltype(k)::value] = load(k); });
      __syncthreads();
      unroll<Numbers>([&](auto k) { to[decltype(k)::value] = s.number[decltype(k)::value]; });
    }
  }
  template <op O> __device__ __forceinline__ T reduce(T x) {
    T const all = reduction(s.room).Reduce(x, combine<O>());
    if (rank == 0) s.all = all;
    __syncthreads();
    T const r = s.all;
    __syncthreads();   // before the next reduction writes
    return r;
  }
  /// Before the next row's numbers are written: others may still read this row's.
  __device__ __forceinline__ void finish_row() {
    if constexpr (Numbers > 0) __syncthreads();
  }
};

}  // namespace dyadic::cuda
