// Streams, events, waiting.
#include <set>

#include "common.hpp"

using namespace ptx_machine;
using namespace ptx_machine::cudart;

namespace {

runtime::device& device() { return runtime::device::get(); }

std::set<runtime::event*>& events() {
  static auto* all = new std::set<runtime::event*>;
  return *all;
}
runtime::event* event_of(cudaEvent_t handle) {
  auto* e = reinterpret_cast<runtime::event*>(handle);
  return events().count(e) ? e : nullptr;
}

/// After a wait: what the operations that ran have done to the device.
cudaError_t after(runtime::outcome o) {
  if (o != runtime::outcome::done) return from(o);
  return device_state();
}

}  // namespace

#define PTX_MACHINE_EVENT(name, handle)       \
  runtime::event* name = event_of(handle);    \
  if (!name) return failed(cudaErrorInvalidResourceHandle)

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int) {
  PTX_MACHINE_NEEDS_DEVICE();
  if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return failed(cudaErrorInvalidValue);
  *s = reinterpret_cast<cudaStream_t>(device().create_stream(flags == cudaStreamDefault));
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) { return cudaStreamCreateWithPriority(s, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t* s) { return cudaStreamCreateWithPriority(s, cudaStreamDefault, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  PTX_MACHINE_STREAM(s, handle);
  if (s == &device().legacy()) return failed(cudaErrorInvalidResourceHandle);
  device().destroy(s);
  return device_state();
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  return after(device().synchronize(*s));
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  return after(device().query(*s));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  PTX_MACHINE_EVENT(e, event);
  return from(device().wait(*s, *e));
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  PTX_MACHINE_STREAM(s, handle);
  *flags = s->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  PTX_MACHINE_STREAM(s, handle);
  static_cast<void>(s);
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return device_state();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  return from(device().enqueue(*s, "a function of the host", [=](operation const&) { function(data); }));
}
cudaError_t cudaDeviceSynchronize() {
  PTX_MACHINE_NEEDS_DEVICE();
  return after(device().synchronize());
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  PTX_MACHINE_NEEDS_DEVICE();
  auto* e = new runtime::event;
  e->timing = !(flags & cudaEventDisableTiming);
  events().insert(e);
  *event = reinterpret_cast<cudaEvent_t>(e);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  PTX_MACHINE_EVENT(e, event);
  events().erase(e);
  delete e;
  return device_state();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  PTX_MACHINE_EVENT(e, event);
  if (flags) stop("cudaEventRecordWithFlags with flags " + std::to_string(flags) + " is not modelled");
  return from(device().record(*e, *s));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) { return cudaEventRecordWithFlags(event, handle, 0); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_EVENT(e, event);
  return after(device().synchronize(*e));
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_EVENT(e, event);
  return after(device().query(*e));
}
/// Logical time: a million steps of threads are a millisecond. It orders events; it measures nothing.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_EVENT(a, first);
  PTX_MACHINE_EVENT(b, second);
  if (!a->recorded || !b->recorded || !a->timing || !b->timing) return failed(cudaErrorInvalidResourceHandle);
  for (runtime::event* e : {a, b})
    if (runtime::outcome const o = device().query(*e); o != runtime::outcome::done) return from(o);
  *milliseconds = static_cast<float>(*b->time - *a->time);
  return cudaSuccess;
}

}  // extern "C"
