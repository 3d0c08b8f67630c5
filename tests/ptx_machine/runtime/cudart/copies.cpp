// Copies and fills. What the host may take for done when a call returns is what the runtime's manual says ("API synchronization
// behavior"), and no more.
#include "../transfers.hpp"
#include "registry.hpp"

using namespace ptx_machine;
using namespace ptx_machine::cudart;
using runtime::place;

namespace {

runtime::device& device() { return runtime::device::get(); }
bool on_host(place p) { return p == place::pageable || p == place::pinned; }

struct rows {   // of a copy in two dimensions; an ordinary one has a single row
  std::size_t to_pitch, from_pitch, bytes, count;
};

bool direction_fits(cudaMemcpyKind kind, place to, place from) {
  switch (kind) {
    case cudaMemcpyHostToHost: return to != place::device && from != place::device;
    case cudaMemcpyHostToDevice: return !on_host(to) && from != place::device;
    case cudaMemcpyDeviceToHost: return to != place::device && !on_host(from);
    case cudaMemcpyDeviceToDevice: return to != place::pageable && from != place::pageable;
    case cudaMemcpyDefault: return true;
  }
  return false;
}

cudaError_t copy(void* to, void const* from_, rows r, cudaMemcpyKind kind, cudaStream_t handle, bool waits) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  if (waits)
    if (runtime::outcome const o = device().may_wait(); o != runtime::outcome::done) return from(o);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return failed(cudaErrorInvalidMemcpyDirection);
  if (!r.bytes || !r.count) return cudaSuccess;
  if (!to || !from_) return failed(cudaErrorInvalidValue);
  place const target = runtime::place_of(to), source = runtime::place_of(from_);
  if (!direction_fits(kind, target, source)) return failed(cudaErrorInvalidValue);
  std::string const what = std::string(waits ? "cudaMemcpy" : "cudaMemcpyAsync") + " of " + std::to_string(r.bytes * r.count) + " bytes";
  runtime::outcome o;
  if (source == place::pageable && !on_host(target) && !s->capturing) {   // the host may change its bytes once the call returns
    auto const bytes = runtime::stage(from_, r.from_pitch * (r.count - 1) + r.bytes);
    o = device().enqueue(*s, what, [=](operation const& by) {
      runtime::copy_rows(by, to, r.to_pitch, bytes->data(), r.from_pitch, r.bytes, r.count);
    });
    return from(o);   // ... and no more: the bytes are not on the device yet
  }
  o = device().enqueue(*s, what, [=](operation const& by) {
    runtime::copy_rows(by, to, r.to_pitch, from_, r.from_pitch, r.bytes, r.count);
  });
  if (o != runtime::outcome::done || s->capturing) return from(o);
  bool const device_only = !on_host(target) && !on_host(source);
  if ((waits && !device_only) || target == place::pageable) {
    if (o = device().synchronize(*s); o != runtime::outcome::done) return from(o);
    return device_state();
  }
  return cudaSuccess;
}

cudaError_t fill(void* to, std::size_t pitch, int value, std::size_t bytes, std::size_t count, cudaStream_t handle, bool waits) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  if (waits)
    if (runtime::outcome const o = device().may_wait(); o != runtime::outcome::done) return from(o);
  if (!bytes || !count) return cudaSuccess;
  if (runtime::place_of(to) == place::pageable) return failed(cudaErrorInvalidValue);
  std::string const what = std::string(waits ? "cudaMemset" : "cudaMemsetAsync") + " of " + std::to_string(bytes * count) + " bytes";
  runtime::outcome o = device().enqueue(*s, what, [=](operation const& by) { runtime::fill_rows(by, to, pitch, value, bytes, count); });
  if (o == runtime::outcome::done && waits && runtime::place_of(to) == place::pinned) o = device().synchronize(*s);   // else asynchronous
  return from(o);
}

rows flat(std::size_t bytes) { return {bytes, bytes, bytes, 1}; }

cudaError_t symbol_copy(void const* symbol, std::size_t bytes, std::size_t offset, void*& address) {
  PTX_MACHINE_NEEDS_DEVICE();
  variable_entry* v = find_variable(symbol);
  if (!v) return failed(cudaErrorInvalidSymbol);
  if (offset > v->size || bytes > v->size - offset) return failed(cudaErrorInvalidValue);
  address = static_cast<char*>(v->address()) + offset;
  return cudaSuccess;
}

cudaError_t to_symbol(void const* symbol, void const* source, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, cudaStream_t s,
    bool waits) {
  void* address = nullptr;
  if (cudaError_t const e = symbol_copy(symbol, bytes, offset, address)) return e;
  return copy(address, source, flat(bytes), kind, s, waits);
}
cudaError_t from_symbol(void* target, void const* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, cudaStream_t s,
    bool waits) {
  void* address = nullptr;
  if (cudaError_t const e = symbol_copy(symbol, bytes, offset, address)) return e;
  return copy(target, address, flat(bytes), kind, s, waits);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, void const* source, std::size_t n, cudaMemcpyKind k) {
  return copy(to, source, flat(n), k, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, void const* source, std::size_t n, cudaMemcpyKind k, cudaStream_t s) {
  return copy(to, source, flat(n), k, s, false);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t tp, void const* source, std::size_t fp, std::size_t w, std::size_t h, cudaMemcpyKind k) {
  return w > tp || w > fp ? failed(cudaErrorInvalidValue) : copy(to, source, {tp, fp, w, h}, k, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t tp, void const* source, std::size_t fp, std::size_t w, std::size_t h, cudaMemcpyKind k,
    cudaStream_t s) {
  return w > tp || w > fp ? failed(cudaErrorInvalidValue) : copy(to, source, {tp, fp, w, h}, k, s, false);
}

cudaError_t cudaMemset(void* to, int value, std::size_t n) { return fill(to, n, value, n, 1, nullptr, true); }
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t n, cudaStream_t s) { return fill(to, n, value, n, 1, s, false); }
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t w, std::size_t h) {
  return fill(to, pitch, value, w, h, nullptr, true);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t w, std::size_t h, cudaStream_t s) {
  return fill(to, pitch, value, w, h, s, false);
}

cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* source, std::size_t n, std::size_t offset, cudaMemcpyKind k) {
  return to_symbol(symbol, source, n, offset, k, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* source, std::size_t n, std::size_t offset, cudaMemcpyKind k,
    cudaStream_t s) {
  return to_symbol(symbol, source, n, offset, k, s, false);
}
cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, std::size_t n, std::size_t offset, cudaMemcpyKind k) {
  return from_symbol(to, symbol, n, offset, k, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, std::size_t n, std::size_t offset, cudaMemcpyKind k, cudaStream_t s) {
  return from_symbol(to, symbol, n, offset, k, s, false);
}
cudaError_t cudaGetSymbolAddress(void** address, void const* symbol) {
  variable_entry* v = find_variable(symbol);
  if (!v) return failed(cudaErrorInvalidSymbol);
  *address = v->address();
  return cudaSuccess;
}
cudaError_t cudaGetSymbolSize(std::size_t* size, void const* symbol) {
  variable_entry const* v = find_variable(symbol);
  if (!v) return failed(cudaErrorInvalidSymbol);
  *size = v->size;
  return cudaSuccess;
}

}  // extern "C"
