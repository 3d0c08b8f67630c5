// Streams, events, graphs, asynchronous copies and allocations, variables of the device: an ordinary program that must be right anywhere.
#include <vector>

#include "check.hpp"

__constant__ float factors[3];
__device__ int launches = 0;

__global__ void scale(float const* x, float* y, int n, int which) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factors[which] * x[i];
  if (i == 0) atomicAdd(&launches, 1);
}
__global__ void add(float* x, float const* y, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

int main() {
  need_device();
  int const n = 1001, blocks = (n + 127) / 128;
  std::size_t const bytes = n * sizeof(float);
  float const host_factors[3] = {1.f, 2.f, 0.5f};
  CHECK(cudaMemcpyToSymbol(factors, host_factors, sizeof host_factors));

  float *in = nullptr, *out = nullptr, *x = nullptr, *y = nullptr;
  CHECK(cudaMallocHost(&in, bytes));
  CHECK(cudaMallocHost(&out, bytes));
  CHECK(cudaMalloc(&x, bytes));
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);

  cudaStream_t a = nullptr, b = nullptr;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  cudaEvent_t copied = nullptr, doubled = nullptr;
  CHECK(cudaEventCreate(&copied));
  CHECK(cudaEventCreateWithFlags(&doubled, cudaEventDisableTiming));

  // Two streams and back: x = in; y = 2 x in the other stream; x += y.
  CHECK(cudaMallocAsync(&y, bytes, b));
  CHECK(cudaMemcpyAsync(x, in, bytes, cudaMemcpyHostToDevice, a));
  CHECK(cudaEventRecord(copied, a));
  CHECK(cudaStreamWaitEvent(b, copied));
  scale<<<blocks, 128, 0, b>>>(x, y, n, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(doubled, b));
  CHECK(cudaStreamWaitEvent(a, doubled));
  add<<<blocks, 128, 0, a>>>(x, y, n);
  CHECK(cudaMemcpyAsync(out, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaStreamSynchronize(a));
  for (int i = 0; i < n; ++i) CHECK(out[i] == 3.f * static_cast<float>(i));

  // The same captured once and launched three times: x = 3 in each time, from the bytes that `in` has then.
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(x, in, bytes, cudaMemcpyHostToDevice, a));
  CHECK(cudaEventRecord(copied, a));
  CHECK(cudaStreamWaitEvent(b, copied));
  scale<<<blocks, 128, 0, b>>>(x, y, n, 1);
  CHECK(cudaEventRecord(doubled, b));
  CHECK(cudaStreamWaitEvent(a, doubled));
  add<<<blocks, 128, 0, a>>>(x, y, n);
  CHECK(cudaMemcpyAsync(out, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaStreamEndCapture(a, &graph));
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 4);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % (round + 1));
    CHECK(cudaGraphLaunch(exec, a));
    CHECK(cudaStreamSynchronize(a));
    for (int i = 0; i < n; ++i) CHECK(out[i] == 3.f * static_cast<float>(i % (round + 1)));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeAsync(y, b));

  int count = 0;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&count, launches, sizeof count));
  CHECK(count == 4);
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, launches));
  CHECK(cudaMemset(address, 0, sizeof count));
  CHECK(cudaMemcpy(&count, address, sizeof count, cudaMemcpyDefault));
  CHECK(count == 0);

  // Pageable memory: the call returns when the bytes may be changed, or when they have come.
  std::vector<float> pageable(n, 1.f);
  CHECK(cudaMemcpyAsync(x, pageable.data(), bytes, cudaMemcpyHostToDevice, a));
  std::vector<float> const ones = pageable;
  pageable.assign(n, 7.f);
  CHECK(cudaMemcpyAsync(pageable.data(), x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(pageable == ones);

  CHECK(cudaEventDestroy(copied));
  CHECK(cudaEventDestroy(doubled));
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
  CHECK(cudaFree(x));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  CHECK(cudaDeviceSynchronize());
  std::puts("streams: right");
}
