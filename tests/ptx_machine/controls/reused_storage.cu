// Control: the temporary storage of CUB's block reduction used twice in a row, with no __syncthreads between.
// (nvcc's line information may give both calls' reads to the second one.)
#include <cub/block/block_reduce.cuh>

template <bool Right>
__device__ void moments(float const* in, float* out, int n) {
  using reduce = cub::BlockReduce<float, 128>;
  __shared__ typename reduce::TempStorage storage;
  float const x = threadIdx.x < n ? in[threadIdx.x] : 0.f;
  float const sum = reduce(storage).Sum(x);
  if (Right) __syncthreads();
  float const squares = reduce(storage).Sum(x * x);   // FIRST
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = squares;
  }
}

extern "C" __global__ void right(float const* in, float* out, int n) { moments<true>(in, out, n); }
extern "C" __global__ void wrong(float const* in, float* out, int n) { moments<false>(in, out, n); }
