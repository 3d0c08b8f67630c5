// Control: threads read what others of the block wrote to shared memory, with no __syncthreads between.
template <bool Right>
__device__ void reverse(float const* in, float* out, int n) {
  __shared__ float tile[64];
  int const t = threadIdx.x, first = blockIdx.x * 64, size = min(64, n - first);
  if (t < size) tile[t] = in[first + t];   // FIRST
  if (Right) __syncthreads();
  if (t < size) out[first + t] = tile[size - 1 - t];   // SECOND
}

extern "C" __global__ void right(float const* in, float* out, int n) { reverse<true>(in, out, n); }
extern "C" __global__ void wrong(float const* in, float* out, int n) { reverse<false>(in, out, n); }
