// Control: blocks add to one word, with no atomic.
template <bool Right>
__device__ void count(int const* in, int* bins, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (Right) atomicAdd(&bins[in[i]], 1);
  else bins[in[i]] += 1;   // FIRST
}

extern "C" __global__ void right(int const* in, int* bins, int n) { count<true>(in, bins, n); }
extern "C" __global__ void wrong(int const* in, int* bins, int n) { count<false>(in, bins, n); }
