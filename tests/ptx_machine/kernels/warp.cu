// What a warp does together: sums by shuffles, an inclusive scan, votes, matches, and integer reductions in hardware.
extern "C" __global__ void warp_sums(float const* in, float* sums, int* scans, int* votes, int n) {
  unsigned const full = 0xffffffffu;
  int const i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float const value = i < n ? in[i] : 0.0f;
  float sum = value;
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(full, sum, step);
  int const key = static_cast<int>(value);
  int scan = key;
  for (int step = 1; step < 32; step *= 2) {
    int const before = __shfl_up_sync(full, scan, step);
    if (lane >= step) scan += before;
  }
  int const positive = __popc(__ballot_sync(full, value > 0));
  unsigned const alike = __match_any_sync(full, key);
  int const most = __reduce_max_sync(full, key);
  unsigned const mixed = __reduce_xor_sync(full, static_cast<unsigned>(key));
  int const every = __all_sync(full, value > -100.0f), one = __any_sync(full, value > 2.0f);
  int half = 0;
  if (lane < 16) half = __reduce_add_sync(0xffffu, key);   // a part of the warp
  half += __shfl_sync(full, half, 3, 8);
  if (i < n) {
    if (lane == 0) sums[i / 32] = sum;
    scans[i] = scan;
    int* out = votes + i * 7;
    out[0] = positive; out[1] = static_cast<int>(alike); out[2] = most; out[3] = static_cast<int>(mixed);
    out[4] = every; out[5] = one; out[6] = half;
  }
}
