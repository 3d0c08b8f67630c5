// Control: one element too many.
template <bool Right>
__device__ void scale(float* x, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (Right ? i < n : i <= n) x[i] *= 2.f;   // FIRST
}

extern "C" __global__ void right(float* x, int n) { scale<true>(x, n); }
extern "C" __global__ void wrong(float* x, int n) { scale<false>(x, n); }
