// What launches are refused, and what the runtime tells of kernels and of the device.
#include "check.hpp"

__global__ void __launch_bounds__(256) sum_shared(float* out, int n) {
  extern __shared__ float terms[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) terms[i] = static_cast<float>(i);
  __syncthreads();
  if (threadIdx.x) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += terms[i];
  *out = sum;
}

int main() {
  need_device();
  float *out = nullptr, host = 0;
  CHECK(cudaMalloc(&out, sizeof(float)));

  sum_shared<<<1, 2000>>>(out, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);   // told once
  sum_shared<<<0, 32>>>(out, 1);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);

  // Dynamic shared memory: 48 KiB unless more is asked for, 227 KiB at most.
  int const many = 15000;
  sum_shared<<<1, 128, many * sizeof(float)>>>(out, many);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(sum_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(sum_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, many * static_cast<int>(sizeof(float))));
  sum_shared<<<1, 128, many * sizeof(float)>>>(out, many);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  float sum = 0;
  for (int i = 0; i < many; ++i) sum += static_cast<float>(i);
  CHECK(host == sum);

  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, sum_shared));
  CHECK(attributes.maxThreadsPerBlock == 256);
  CHECK(attributes.sharedSizeBytes == 0);
  CHECK(attributes.maxDynamicSharedSizeBytes == many * static_cast<int>(sizeof(float)));
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum_shared, 256, 0));
  CHECK(blocks >= 1);

  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(device.warpSize == 32);
  CHECK(device.maxThreadsPerBlock == 1024);
  CHECK(device.major >= 8);
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaFree(out));
  CHECK(cudaDeviceSynchronize());
  std::puts("launches: right");
}
