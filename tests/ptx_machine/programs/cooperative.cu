// A cooperative launch: blocks exchange values through global memory, ordered by grid.sync().
#include <cooperative_groups.h>

#include "check.hpp"

__global__ void ring(int* x, int steps) {
  auto grid = cooperative_groups::this_grid();
  int const b = static_cast<int>(blockIdx.x), all = static_cast<int>(gridDim.x);
  for (int i = 0; i < steps; ++i) {
    int const left = x[(b + all - 1) % all];
    grid.sync();
    if (threadIdx.x == 0) x[b] = left + 1;
    grid.sync();
  }
}

int main() {
  need_device();
  int per_multiprocessor = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, ring, 64, 0));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  int *x = nullptr, blocks = 5, steps = 7, host[5] = {10, 20, 30, 40, 50};
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&x, &steps};
  CHECK(cudaLaunchCooperativeKernel(ring, blocks, 64, arguments));
  CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; ++b) CHECK(host[b] == 10 * ((b + 5 * blocks - steps) % blocks + 1) + steps);

  int const too_many = device.multiProcessorCount * per_multiprocessor + 1;
  CHECK(cudaLaunchCooperativeKernel(ring, too_many, 64, arguments) == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaFree(x));
  std::puts("cooperative: right");
}
