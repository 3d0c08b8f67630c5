// The executor of CUDA programs: a stream of its own on the current device.
#pragma once
#include <utility>

#include "dyadic/cuda/status.hpp"

namespace dyadic::exec {

/// Owns a CUDA stream; programs bound to it run on it in the order of their calls. Errors: error_kind::device where there is no device,
/// with CUDA's own reason.
class cuda_stream {
 public:
  cuda_stream() {
    if (char const* const reason = cuda::missing_device()) raise(error_kind::device, message() << "exec::cuda_stream: " << reason);
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  }
  cuda_stream(cuda_stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  cuda_stream& operator=(cuda_stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~cuda_stream() { if (stream_) cudaStreamDestroy(stream_); }

  /// Whether a device is there.
  static bool available() { return cuda::missing_device() == nullptr; }

  cudaStream_t handle() const { return stream_; }
  /// Returns when all that was put on the stream is done. Errors: what went wrong on the device.
  void wait() const { cuda::check(cudaStreamSynchronize(stream_), "waiting for a stream"); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace dyadic::exec
