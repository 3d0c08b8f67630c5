// Errors: the last one, their names and texts.
#include <cstdio>
#include <cstdlib>

#include "common.hpp"

namespace ptx_machine::cudart {
namespace {

cudaError_t last = cudaSuccess;

struct error_text {
  cudaError_t error;
  char const* name;
  char const* text;
};
#define PTX_MACHINE_ERROR(name, text) {name, #name, text}
constexpr error_text texts[] = {
    PTX_MACHINE_ERROR(cudaSuccess, "no error"),
    PTX_MACHINE_ERROR(cudaErrorInvalidValue, "invalid argument"),
    PTX_MACHINE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    PTX_MACHINE_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    PTX_MACHINE_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    PTX_MACHINE_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    PTX_MACHINE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    PTX_MACHINE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    PTX_MACHINE_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    PTX_MACHINE_ERROR(cudaErrorNotReady, "device not ready"),
    PTX_MACHINE_ERROR(cudaErrorNotSupported, "operation not supported"),
    PTX_MACHINE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure (the PTX machine: its report says what)"),
    PTX_MACHINE_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    PTX_MACHINE_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    PTX_MACHINE_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    PTX_MACHINE_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    PTX_MACHINE_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    PTX_MACHINE_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    PTX_MACHINE_ERROR(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"),
};

error_text const* find(cudaError_t e) {
  for (error_text const& t : texts)
    if (t.error == e) return &t;
  return nullptr;
}

}  // namespace

cudaError_t failed(cudaError_t e) { return last = e; }

cudaError_t from(runtime::outcome o) {
  switch (o) {
    case runtime::outcome::done: return cudaSuccess;
    case runtime::outcome::capture_unsupported: return failed(cudaErrorStreamCaptureUnsupported);
    case runtime::outcome::capture_invalidated: return failed(cudaErrorStreamCaptureInvalidated);
    case runtime::outcome::capture_implicit: return failed(cudaErrorStreamCaptureImplicit);
    case runtime::outcome::capture_unjoined: return failed(cudaErrorStreamCaptureUnjoined);
    case runtime::outcome::capture_unmatched:
    case runtime::outcome::capture_wrong_stream: return failed(cudaErrorStreamCaptureUnmatched);
    case runtime::outcome::not_ready: return cudaErrorNotReady;   // not an error
  }
  return failed(cudaErrorUnknown);
}

void stop(std::string const& why) {
  std::fflush(stdout);
  std::fprintf(stderr, "ptx_machine: %s\n", why.c_str());
  std::fflush(stderr);
  std::_Exit(87);
}

runtime::stream* stream_of(cudaStream_t handle) {
  runtime::device& d = runtime::device::get();
  if (!handle || handle == cudaStreamLegacy) return &d.legacy();
  if (handle == cudaStreamPerThread) {
    static runtime::stream* const own = d.create_stream(true);
    return own;
  }
  auto* s = reinterpret_cast<runtime::stream*>(handle);
  return d.exists(s) ? s : nullptr;
}

}  // namespace ptx_machine::cudart

using namespace ptx_machine;

extern "C" {

cudaError_t cudaGetLastError() {
  if (cudaError_t const e = cudart::device_state()) return e;   // it sticks
  cudaError_t const e = cudart::last;
  cudart::last = cudaSuccess;
  return e;
}
cudaError_t cudaPeekAtLastError() {
  if (cudaError_t const e = cudart::device_state()) return e;
  return cudart::last;
}
char const* cudaGetErrorName(cudaError_t e) {
  auto const* t = cudart::find(e);
  return t ? t->name : "an error the PTX machine has no name for";
}
char const* cudaGetErrorString(cudaError_t e) {
  auto const* t = cudart::find(e);
  return t ? t->text : "an error the PTX machine has no text for";
}

}  // extern "C"
