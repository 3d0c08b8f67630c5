// Graphs: captured from streams, instantiated, launched.
#include <map>
#include <memory>

#include "common.hpp"

using namespace ptx_machine;
using namespace ptx_machine::cudart;

namespace {

runtime::device& device() { return runtime::device::get(); }

std::map<void*, std::shared_ptr<runtime::graph>>& graphs() {
  static auto* all = new std::map<void*, std::shared_ptr<runtime::graph>>;
  return *all;
}
std::map<void*, std::unique_ptr<runtime::executable_graph>>& executables() {
  static auto* all = new std::map<void*, std::unique_ptr<runtime::executable_graph>>;
  return *all;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  return from(device().begin_capture(*s, mode != cudaStreamCaptureModeRelaxed));
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  *graph = nullptr;
  std::shared_ptr<runtime::graph> captured;
  if (runtime::outcome const o = device().end_capture(*s, captured); o != runtime::outcome::done) return from(o);
  *graph = reinterpret_cast<cudaGraph_t>(captured.get());
  graphs()[captured.get()] = captured;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  PTX_MACHINE_STREAM(s, handle);
  *status = !s->capturing            ? cudaStreamCaptureStatusNone
            : s->capturing->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  PTX_MACHINE_NEEDS_DEVICE();
  auto const found = graphs().find(graph);
  if (found == graphs().end()) return failed(cudaErrorInvalidValue);
  auto made = std::make_unique<runtime::executable_graph>();
  made->nodes = found->second->nodes;
  *executable = reinterpret_cast<cudaGraphExec_t>(made.get());
  void* const key = made.get();
  executables()[key] = std::move(made);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return executables().count(executable) ? device_state() : failed(cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  PTX_MACHINE_NEEDS_DEVICE();
  PTX_MACHINE_STREAM(s, handle);
  auto const found = executables().find(executable);
  if (found == executables().end()) return failed(cudaErrorInvalidValue);
  if (s->capturing) stop("cudaGraphLaunch in a captured stream (a child graph) is not modelled");
  return from(device().launch(*found->second, *s));
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return graphs().erase(graph) ? device_state() : failed(cudaErrorInvalidValue); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {   // launches that wait hold what they need
  return executables().erase(executable) ? device_state() : failed(cudaErrorInvalidValue);
}

/// The number of nodes; nodes themselves have no handles here.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  auto const found = graphs().find(graph);
  if (found == graphs().end() || !count) return failed(cudaErrorInvalidValue);
  if (nodes) stop("cudaGraphGetNodes: nodes of a captured graph have no handles in the stand-in");
  *count = found->second->nodes.size();
  return cudaSuccess;
}

}  // extern "C"
