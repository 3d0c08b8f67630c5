// What the programs share: a failed call or a wrong value ends them with 1; without a device they end with 77, "skipped".
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

inline void check(bool good, char const* what, int line) {
  if (good) return;
  std::printf("line %d: %s\n", line, what);
  std::exit(1);
}
inline void check(cudaError_t e, char const* what, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s: %s\n", line, what, cudaGetErrorString(e));
  std::exit(1);
}
#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)

inline void need_device() {
  int count = 0;
  cudaError_t const e = cudaGetDeviceCount(&count);
  if (e == cudaSuccess && count > 0) return;
  std::printf("skipped: no device (%s)\n", cudaGetErrorString(e));
  std::exit(77);
}
