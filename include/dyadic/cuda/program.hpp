// A plan bound to extents on a device: one allocation for everything, and its launches recorded in one CUDA graph.
#pragma once
#include <cstring>

#include "dyadic/cuda/statements.hpp"
#include "dyadic/passes/memory.hpp"

namespace dyadic::cuda {

namespace detail {
struct device_memory {
  unsigned char* p = nullptr;
  ~device_memory() { if (p) cudaFree(p); }   // waits for what still runs
};
struct executable_graph {
  cudaGraphExec_t graph = nullptr;
  ~executable_graph() { if (graph) cudaGraphExecDestroy(graph); }
};
/// A stream that records; when something fails in between, it stops recording.
struct recording {
  cudaStream_t stream;
  bool on = true;
  explicit recording(cudaStream_t s) : stream(s) {
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "recording a program");
  }
  cudaGraph_t end() {
    cudaGraph_t graph = nullptr;
    on = false;
    check(cudaStreamEndCapture(stream, &graph), "recording a program");
    return graph;
  }
  ~recording() {
    cudaGraph_t graph = nullptr;
    if (on && cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph) cudaGraphDestroy(graph);
  }
};
}  // namespace detail

/// Values, leaves, constants and scratch memory, one after another in one allocation; the graph that computes them.
template <class T> class program {
 public:
  program(graph_view g, plan_view p, extents const& e, std::vector<group_launch<T>> const& groups, cudaStream_t stream)
      : memory_(plan_memory(g, p, e)) {
    c_.g = g;
    c_.e = e;
    c_.where = placements(g, memory_, e);
    c_.stream = stream;
    c_.bases.assign(static_cast<std::size_t>(first_leaf_base + g.nleaves), nullptr);
    lay_out(p, groups);
    fill_constants();
    record(p, groups);
  }
  program(program const&) = delete;
  program& operator=(program const&) = delete;

  /// Elements of leaf l.
  std::int64_t leaf_elements(int l) const {
    leaf const& x = c_.g.leaves[l];
    std::int64_t n = x.node < 0 ? 0 : x.index_axis >= 0 ? c_.e.of[x.index_axis] : 1;
    for (int d = 0; d < x.rank; ++d) if (x.order[d] != x.index_axis) n *= c_.e.of[x.order[d]];
    return n;
  }
  /// Copies a leaf's elements to the device, row-major in leaf.order with leaf.index_axis outermost; returns when `from` is free again.
  void upload(int l, T const* from) { copy_in(c_.bases[static_cast<std::size_t>(first_leaf_base + l)], from, leaf_elements(l)); }
  /// Keys of the random nodes; dropout masks are 1 unless training.
  void set_random(std::uint64_t seed, std::uint64_t step, bool training) {
    random_keys const keys{seed, step, training};
    check(cudaMemcpyAsync(keys_, &keys, sizeof keys, cudaMemcpyHostToDevice, c_.stream), "copying random keys");
    check(cudaStreamSynchronize(c_.stream), "copying random keys");
  }
  /// Puts the whole program on the stream, as one graph; does not wait.
  void run() { check(cudaGraphLaunch(executable_.graph, c_.stream), "launching a program's graph"); }

  /// Copies an output to `to`, row-major in its own order of axes, after all runs so far.
  std::vector<T> output(int k) const {
    dyadic::output const& o = c_.g.outputs[k];
    std::int64_t n[dyadic::max_axes], at[dyadic::max_axes]{}, all = 1, far = 0;
    for (int d = 0; d < o.rank; ++d) {
      n[d] = c_.e.of[o.order[d]];
      all *= n[d];
      far += (n[d] - 1) * c_.stride(o.node, o.order[d]);
    }
    std::vector<T> r(static_cast<std::size_t>(all));
    if (all == 0) return r;
    std::vector<T> raw(static_cast<std::size_t>(far + 1));
    check(cudaMemcpyAsync(raw.data(), c_.pointer(o.node), raw.size() * sizeof(T), cudaMemcpyDeviceToHost, c_.stream), "copying a result");
    check(cudaStreamSynchronize(c_.stream), "running a program");
    for (T& x : r) {
      std::int64_t from = 0;
      for (int d = 0; d < o.rank; ++d) from += at[d] * c_.stride(o.node, o.order[d]);
      x = raw[static_cast<std::size_t>(from)];
      for (int d = o.rank; d-- > 0 && ++at[d] == n[d];) at[d] = 0;
    }
    return r;
  }

  context<T> const& where() const { return c_; }
  memory_plan const& memory() const { return memory_; }
  std::int64_t arena_bytes() const { return bytes_; }

 private:
  memory_plan memory_;
  context<T> c_;
  detail::device_memory arena_;
  std::int64_t bytes_ = 0, longest_ = 1;
  random_keys* keys_ = nullptr;
  detail::executable_graph executable_;

  void lay_out(plan_view p, std::vector<group_launch<T>> const& groups) {
    auto const take = [&](std::int64_t bytes) {   // every piece begins where a cache line does
      std::int64_t const at = bytes_;
      bytes_ += (bytes + 255) / 256 * 256;
      return at;
    };
    auto const room = [&](std::int64_t elements) { return take(elements * static_cast<std::int64_t>(sizeof(T))); };
    for (int a = 0; a < c_.g.naxes; ++a) if (c_.e.of[a] > longest_) longest_ = c_.e.of[a];
    std::vector<std::int64_t> at(c_.bases.size());
    at[arena_base] = room(memory_.arena);
    at[state_base] = room(memory_.state);
    at[constant_base] = room(c_.g.size);
    at[iota_base] = room(longest_);
    for (int l = 0; l < c_.g.nleaves; ++l) at[static_cast<std::size_t>(first_leaf_base + l)] = room(leaf_elements(l) + 1);
    c_.scratch_size = scratch_size(c_, p, groups);
    std::int64_t const scratch = room(c_.scratch_size), keys = take(sizeof(random_keys));
    void* all = nullptr;
    check(cudaMalloc(&all, static_cast<std::size_t>(bytes_)), "allocating a program's memory");
    arena_.p = static_cast<unsigned char*>(all);
    for (std::size_t b = 0; b < at.size(); ++b) c_.bases[b] = reinterpret_cast<T*>(arena_.p + at[b]);
    c_.scratch = reinterpret_cast<T*>(arena_.p + scratch);
    keys_ = reinterpret_cast<random_keys*>(arena_.p + keys);
    c_.random = keys_;
  }
  void copy_in(T* to, T const* from, std::int64_t n) {
    if (n == 0) return;
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyHostToDevice, c_.stream), "copying to the device");
    check(cudaStreamSynchronize(c_.stream), "copying to the device");
  }
  void fill_constants() {
    std::vector<T> numbers(static_cast<std::size_t>(c_.g.size)), positions(static_cast<std::size_t>(longest_));
    for (int i = 0; i < c_.g.size; ++i) {
      node const& x = c_.g[i];
      if (x.kind == op::constant) numbers[static_cast<std::size_t>(i)] = static_cast<T>(x.value);
      if (x.kind == op::extent) numbers[static_cast<std::size_t>(i)] = static_cast<T>(c_.e.of[x.axis]);
    }
    for (std::int64_t i = 0; i < longest_; ++i) positions[static_cast<std::size_t>(i)] = static_cast<T>(i);
    copy_in(c_.bases[constant_base], numbers.data(), c_.g.size);
    copy_in(c_.bases[iota_base], positions.data(), longest_);
    set_random(0, 0, false);
  }
  void record(plan_view p, std::vector<group_launch<T>> const& groups) {
    detail::recording recorded(c_.stream);
    enqueue(c_, p, groups);
    cudaGraph_t const graph = recorded.end();
    cudaError_t const answer = cudaGraphInstantiate(&executable_.graph, graph, 0);
    cudaGraphDestroy(graph);
    check(answer, "instantiating a program's graph");
  }
};

}  // namespace dyadic::cuda
