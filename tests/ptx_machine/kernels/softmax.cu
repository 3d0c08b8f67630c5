// Softmax of each row of an r x n matrix, one block a row, with CUB's block reductions.
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>

extern "C" __global__ void __launch_bounds__(128) softmax_row(float const* in, float* out, int n) {
  using reduce = cub::BlockReduce<float, 128>;
  __shared__ typename reduce::TempStorage storage;
  __shared__ float whole;
  float const* row = in + static_cast<long long>(blockIdx.x) * n;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, row[i]);
  largest = reduce(storage).Reduce(largest, cuda::maximum<float>{});
  if (threadIdx.x == 0) whole = largest;
  __syncthreads();
  largest = whole;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - largest);
  sum = reduce(storage).Sum(sum);
  __syncthreads();
  if (threadIdx.x == 0) whole = sum;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[static_cast<long long>(blockIdx.x) * n + i] = expf(row[i] - largest) / whole;
}
