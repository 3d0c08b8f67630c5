// A program with a bug that its values seldom show: nothing orders the kernel after the copy in another stream. On a device it may well
// end with 0; on the machine it ends with a report, and not with 0.
#include "check.hpp"

__global__ void twice(float* x, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.f;
}

int main() {
  need_device();
  int const n = 500;
  float *in = nullptr, *x = nullptr;
  CHECK(cudaMallocHost(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMemset(x, 0, n * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) in[i] = 1.f;
  cudaStream_t a = nullptr, b = nullptr;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaMemcpyAsync(x, in, n * sizeof(float), cudaMemcpyHostToDevice, a));
  twice<<<4, 128, 0, b>>>(x, n);
  cudaDeviceSynchronize();   // nobody looks at what it says
}
