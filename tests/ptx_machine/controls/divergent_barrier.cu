// Control: a __syncthreads that threads reach at two places.
template <bool Right>
__device__ void shift(float const* in, float* out) {
  __shared__ float tile[64];
  int const t = threadIdx.x;
  if (Right) {
    tile[t] = in[t];
    __syncthreads();
  } else if (t < 32) {
    tile[t] = in[t];
    __syncthreads();   // FIRST
  } else {
    tile[t] = 2.f * in[t] - in[t];
    __syncthreads();   // SECOND
  }
  out[t] = tile[(t + 1) % 64];
}

extern "C" __global__ void right(float const* in, float* out) { shift<true>(in, out); }
extern "C" __global__ void wrong(float const* in, float* out) { shift<false>(in, out); }
