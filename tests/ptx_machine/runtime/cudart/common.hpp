// What the entry points of the stand-in for libcudart share: handles, errors.
#pragma once
#include <cuda_runtime_api.h>

#include <string>

#include "../device.hpp"

namespace ptx_machine::cudart {

/// Keeps the error for cudaGetLastError, as every entry point does, and returns it.
cudaError_t failed(cudaError_t);
cudaError_t from(runtime::outcome);

/// The error of a device that has failed before, until reset(): every call returns it.
inline cudaError_t device_state() { return runtime::device::get().failed ? failed(cudaErrorLaunchFailure) : cudaSuccess; }

/// Stops the program: something was asked for that the stand-in does not know. Never a guess.
[[noreturn]] void stop(std::string const& why);

/// The stream of a handle; null, with the error kept, where there is none.
runtime::stream* stream_of(cudaStream_t);

inline std::string kilobytes(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace ptx_machine::cudart

/// The first lines of an entry point: a device that failed answers nothing else.
#define PTX_MACHINE_NEEDS_DEVICE() \
  if (::cudaError_t const state_ = ::ptx_machine::cudart::device_state()) return state_
#define PTX_MACHINE_STREAM(name, handle)                                  \
  ::ptx_machine::runtime::stream* name = ::ptx_machine::cudart::stream_of(handle); \
  if (!name) return ::ptx_machine::cudart::failed(cudaErrorInvalidResourceHandle)
