// What the CUDA runtime answers, as errors of this library.
#pragma once
#include <cuda_runtime.h>

#include "dyadic/axes/error.hpp"

namespace dyadic::cuda {

/// Raises error_kind::device with CUDA's words unless all is well. what: what was being done.
inline void check(cudaError_t answer, char const* what) {
  if (answer == cudaSuccess) return;
  cudaGetLastError();   // so that it is not told again
  raise(error_kind::device, message() << "CUDA: " << what << ": " << cudaGetErrorString(answer));
}

/// Why no kernel can run here, or nullptr.
inline char const* missing_device() {
  int count = 0;
  cudaError_t const answer = cudaGetDeviceCount(&count);
  if (answer != cudaSuccess) {
    cudaGetLastError();
    return cudaGetErrorString(answer);
  }
  return count > 0 ? nullptr : "no CUDA-capable device is detected";
}

}  // namespace dyadic::cuda
