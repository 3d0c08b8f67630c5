// Launches: what the host asks of a kernel, checked as the driver does.
#include <vector>

#include "device_limits.hpp"
#include "registry.hpp"

using namespace ptx_machine;
using namespace ptx_machine::cudart;

namespace {

struct configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<configuration>& configurations() {
  static auto* stack = new std::vector<configuration>;
  return *stack;
}

extent shape_of(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t launch(void const* host, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t handle, bool cooperative) {
  PTX_MACHINE_NEEDS_DEVICE();
  kernel_entry* k = find_kernel(host);
  if (!k) return failed(cudaErrorInvalidDeviceFunction);
  PTX_MACHINE_STREAM(s, handle);
  runtime::launch_shape const shape{shape_of(grid), shape_of(block), static_cast<std::uint32_t>(shared), cooperative};
  std::uint64_t const threads = shape.block.count();
  if (!threads || !shape.grid.count() || threads > limits::threads_per_block || block.z > 64 || grid.x > 0x7fffffffu || grid.y > 65535 ||
      grid.z > 65535)
    return failed(cudaErrorInvalidConfiguration);
  if (k->code->max_threads && threads > k->code->max_threads) return failed(cudaErrorLaunchOutOfResources);
  if (k->code->required_threads && threads != k->code->required_threads) return failed(cudaErrorInvalidConfiguration);
  if (shared > static_cast<std::size_t>(k->dynamic_limit) || k->code->static_shared_bytes + shared > limits::shared_per_block_optin)
    return failed(cudaErrorInvalidValue);
  unsigned const resident = limits::resident_blocks(static_cast<unsigned>(threads), k->code->static_shared_bytes + shared);
  if (cooperative && shape.grid.count() > std::uint64_t(limits::multiprocessors) * resident)
    return failed(cudaErrorCooperativeLaunchTooLarge);
  std::vector<std::byte> parameters(k->code->parameter_bytes);
  for (std::size_t i = 0; i < k->code->parameters.size(); ++i)
    std::memcpy(parameters.data() + k->code->parameters[i].offset, arguments[i], k->code->parameters[i].size);
  runtime::action run = runtime::launch_of(*k->code, shape, std::move(parameters));
  return from(runtime::device::get().enqueue(*s, "launch of " + runtime::demangled(k->name), std::move(run)));
}

}  // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  configuration const c = configurations().back();
  configurations().pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(void const* f, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t s) {
  return launch(f, grid, block, arguments, shared, s, false);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t s) {
  return launch(reinterpret_cast<void const*>(f), grid, block, arguments, shared, s, false);
}
cudaError_t cudaLaunchCooperativeKernel(void const* f, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t s) {
  return launch(f, grid, block, arguments, shared, s, true);
}
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* c, void const* f, void** arguments) {
  bool cooperative = false;
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    cudaLaunchAttribute const& a = c->attrs[i];
    switch (a.id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority: break;
      case cudaLaunchAttributeCooperative: cooperative = a.val.cooperative != 0; break;
      default: stop("cudaLaunchKernelExC: launch attribute " + std::to_string(a.id) + " is not modelled");
    }
  }
  return launch(f, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream, cooperative);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, void const* f) {
  PTX_MACHINE_NEEDS_DEVICE();
  kernel_entry const* k = find_kernel(f);
  if (!k) return failed(cudaErrorInvalidDeviceFunction);
  *a = {};
  a->sharedSizeBytes = k->code->static_shared_bytes;
  a->maxThreadsPerBlock = static_cast<int>(k->code->max_threads ? k->code->max_threads : limits::threads_per_block);
  a->maxDynamicSharedSizeBytes = k->dynamic_limit;
  a->numRegs = 0;   // ptxas knows, PTX does not
  a->ptxVersion = a->binaryVersion = limits::compute_major * 10;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(void const* f, cudaFuncAttribute attribute, int value) {
  PTX_MACHINE_NEEDS_DEVICE();
  kernel_entry* k = find_kernel(f);
  if (!k) return failed(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || k->code->static_shared_bytes + static_cast<std::size_t>(value) > limits::shared_per_block_optin)
      return failed(cudaErrorInvalidValue);
    k->dynamic_limit = value;
  } else if (attribute != cudaFuncAttributePreferredSharedMemoryCarveout) {
    stop("cudaFuncSetAttribute: attribute " + std::to_string(attribute) + " is not modelled");
  }
  return cudaSuccess;
}
cudaError_t cudaFuncGetName(char const** name, void const* f) {
  kernel_entry const* k = find_kernel(f);
  if (!k) return failed(cudaErrorInvalidDeviceFunction);
  *name = k->name.c_str();
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(void const*, cudaFuncCache) { return device_state(); }   // a hint

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* f, int threads, std::size_t shared, unsigned) {
  PTX_MACHINE_NEEDS_DEVICE();
  kernel_entry const* k = find_kernel(f);
  if (!k) return failed(cudaErrorInvalidDeviceFunction);
  if (threads <= 0) return failed(cudaErrorInvalidValue);
  bool const fits = shared <= static_cast<std::size_t>(k->dynamic_limit);
  *blocks = fits ? static_cast<int>(limits::resident_blocks(static_cast<unsigned>(threads), k->code->static_shared_bytes + shared)) : 0;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* f, int threads, std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

}  // extern "C"
