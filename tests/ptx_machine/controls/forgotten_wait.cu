// Control: cp.async copies into shared memory, and nobody waits for them. The barrier is there, and orders nothing that has not arrived.
template <bool Right>
__device__ void reverse(float const* in, float* out) {
  __shared__ alignas(16) float tile[256];
  int const t = threadIdx.x;
  unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * t));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + blockIdx.x * 256 + 4 * t) : "memory");
  if (Right) asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int i = t; i < 256; i += 64) out[blockIdx.x * 256 + i] = tile[255 - i];   // FIRST
}

extern "C" __global__ void right(float const* in, float* out) { reverse<true>(in, out); }
extern "C" __global__ void wrong(float const* in, float* out) { reverse<false>(in, out); }
