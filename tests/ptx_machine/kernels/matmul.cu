// C = A B in fp32, row-major, any sizes: shared tiles of 16 x 16, one thread per element.
extern "C" __global__ void __launch_bounds__(256) matmul(float const* a, float const* b, float* c, int m, int n, int k) {
  constexpr int tile = 16;
  __shared__ float as[tile][tile + 1], bs[tile][tile + 1];
  int const row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < k; begin += tile) {
    int const ka = begin + threadIdx.x, kb = begin + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
