// Allocations: at once, of streams, pinned, managed.
#include <cstring>

#include "../transfers.hpp"
#include "common.hpp"

using namespace ptx_machine;
using namespace ptx_machine::cudart;

namespace {

runtime::device& device() { return runtime::device::get(); }

cudaError_t allocate(void** p, std::size_t bytes, memory_kind kind) {
  PTX_MACHINE_NEEDS_DEVICE();
  if (!p) return failed(cudaErrorInvalidValue);
  if (runtime::outcome const o = device().may_wait(); o != runtime::outcome::done) return from(o);
  *p = nullptr;
  if (!bytes) return cudaSuccess;
  allocation const* a = device_memory::get().allocate(bytes, kind, {});
  if (!a) return failed(cudaErrorMemoryAllocation);
  *p = reinterpret_cast<void*>(a->start);
  return cudaSuccess;
}

cudaError_t release(void* p, bool host, char const* call) {
  if (!p) return cudaSuccess;
  allocation* a = device_memory::get().find(reinterpret_cast<std::uint64_t>(p));
  if (!a || a->start != reinterpret_cast<std::uint64_t>(p) || a->freed || (a->kind == memory_kind::pinned) != host ||
      a->kind == memory_kind::constant) {
    violate(violation_kind::bad_call, {}, {}, reinterpret_cast<std::uint64_t>(p), [&] {
      return std::string(call) + " of " + describe_address(reinterpret_cast<std::uint64_t>(p)) + 
          (a && a->freed ? ": freed before" : ": not what it gives");
    });
    return failed(cudaErrorInvalidValue);
  }
  if (runtime::outcome const o = device().synchronize(); o != runtime::outcome::done) return from(o);   // it waits for the whole device
  device_memory::get().release(*a);
  return device_state();
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) { return allocate(p, bytes, memory_kind::device); }
cudaError_t cudaMallocHost(void** p, std::size_t bytes) { return allocate(p, bytes, memory_kind::pinned); }
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) { return allocate(p, bytes, memory_kind::pinned); }
cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned) { return allocate(p, bytes, memory_kind::managed); }
cudaError_t cudaFree(void* p) { return release(p, false, "cudaFree"); }
cudaError_t cudaFreeHost(void* p) { return release(p, true, "cudaFreeHost"); }
cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host, unsigned) {
  if (runtime::place_of(host) != runtime::place::pinned) return failed(cudaErrorInvalidValue);
  *device_pointer = host;
  return cudaSuccess;
}

cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(p, *pitch * height, memory_kind::device);
}

cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t handle) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  if (s->capturing) stop("cudaMallocAsync in a captured stream (a graph's own memory) is not modelled");
  *p = nullptr;
  if (!bytes) return cudaSuccess;
  allocation* a = device_memory::get().allocate(bytes, memory_kind::device, {});
  if (!a) return failed(cudaErrorMemoryAllocation);
  a->made_by = allocation::not_yet;
  *p = reinterpret_cast<void*>(a->start);
  return from(device().enqueue(*s, "cudaMallocAsync", [a](operation const& by) { runtime::begin_life(*a, by); }));
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t handle) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  if (!p) return cudaSuccess;
  if (s->capturing) stop("cudaFreeAsync in a captured stream (a graph's own memory) is not modelled");
  allocation* a = device_memory::get().find(reinterpret_cast<std::uint64_t>(p));
  if (!a || a->start != reinterpret_cast<std::uint64_t>(p) || a->kind != memory_kind::device) {
    violate(violation_kind::bad_call, {}, {}, reinterpret_cast<std::uint64_t>(p), [&] {
      return "cudaFreeAsync of " + describe_address(reinterpret_cast<std::uint64_t>(p)) + ": not what cudaMalloc gives";
    });
    return failed(cudaErrorInvalidValue);
  }
  return from(device().enqueue(*s, "cudaFreeAsync", [a](operation const& by) { runtime::end_life(*a, by); }));
}

/// Pools hold nothing back here: their attributes are kept and say nothing.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device_number) {
  if (device_number != 0) return failed(cudaErrorInvalidDevice);
  static char the_pool;
  *pool = reinterpret_cast<cudaMemPool_t>(&the_pool);
  return device_state();
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device_number) { return cudaDeviceGetDefaultMemPool(pool, device_number); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void*) {
  if (attribute != cudaMemPoolAttrReleaseThreshold)
    stop("cudaMemPoolSetAttribute: attribute " + std::to_string(attribute) + " is not modelled");
  return device_state();
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return device_state(); }

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  *total = device_memory::capacity;
  *free_bytes = device_memory::capacity / 2;
  return device_state();
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, void const* p) {
  *a = {};
  allocation const* found = device_memory::get().find(reinterpret_cast<std::uint64_t>(p));
  a->type = cudaMemoryTypeUnregistered;
  a->hostPointer = const_cast<void*>(p);
  if (!found || found->freed) return device_state();
  a->type = found->kind == memory_kind::pinned    ? cudaMemoryTypeHost
            : found->kind == memory_kind::managed ? cudaMemoryTypeManaged
                                                  : cudaMemoryTypeDevice;
  a->devicePointer = const_cast<void*>(p);
  if (!found->seen_by_host()) a->hostPointer = nullptr;
  return device_state();
}

cudaError_t cudaMemPrefetchAsync(void const*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) { return device_state(); }   // a hint
cudaError_t cudaMemAdvise(void const*, std::size_t, cudaMemoryAdvise, cudaMemLocation) { return device_state(); }               // a hint

}  // extern "C"
