// Counts and sums by bin: shared atomics, then global ones; a float extreme by compare-and-swap; a ticket by atomicInc.
extern "C" __global__ void histogram(int const* bins, float const* values, int n, int n_bins, unsigned* counts, double* sums,
                                     float* largest, unsigned* tickets) {
  extern __shared__ unsigned local_counts[];
  for (int i = threadIdx.x; i < n_bins; i += blockDim.x) local_counts[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local_counts[bins[i]], 1u);
    atomicAdd(&sums[bins[i]], static_cast<double>(values[i]));
    unsigned* bits = reinterpret_cast<unsigned*>(largest);
    unsigned seen = atomicAdd(bits, 0u);
    while (__uint_as_float(seen) < values[i]) {
      unsigned const before = atomicCAS(bits, seen, __float_as_uint(values[i]));
      if (before == seen) break;
      seen = before;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n_bins; i += blockDim.x)
    if (local_counts[i]) atomicAdd(&counts[i], local_counts[i]);
  if (threadIdx.x == 0) atomicInc(tickets, gridDim.x - 1);
}
