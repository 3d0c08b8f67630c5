// A program with its extents bound on a CUDA stream: inputs by name, results by name, as on the CPU.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyadic/cuda/program.hpp"
#include "dyadic/exec/checked_extents.hpp"
#include "dyadic/exec/cuda_stream.hpp"
#include "dyadic/exec/named.hpp"
#include "dyadic/exec/parameters.hpp"
#include "dyadic/passes/fused.hpp"

namespace dyadic {

namespace cuda::detail {
/// A program's plan for the device: every statement that can be is in a group.
template <class Program> struct device_plan {
  static constexpr graph_view graph = Program::graph;
  static constexpr plan make() { return fuse(Program::graph, Program::plan, {.everything = true}); }
  static constexpr auto plan_ = seal<make().s.size>(make());
  static constexpr plan_view view = plan_.view();
  static constexpr int words = codes_of(graph, view).words.size, groups = groups_of(view);
  static constexpr auto codes = dyadic::detail::seal<words, groups>(codes_of(graph, view));
  static constexpr int unsupported = first_unsupported(graph, view);
};
template <class Plan> constexpr op unsupported_op() {
  if constexpr (Plan::unsupported < 0) return op::input;
  else if constexpr (Plan::view[Plan::unsupported].kind != stmt::run) return op::prev;
  else return Plan::graph[Plan::view[Plan::unsupported].id].kind;
}
}  // namespace cuda::detail

/// Whether every statement of a program has a CUDA kernel; At is the first operation that has none (prev: a loop).
template <class Program, op At> inline constexpr bool every_statement_has_a_cuda_kernel = At == op::input;

/// `cuda_bound<evaluation<model>> run(stream, bind(batch{2}, seq{13}))`: the program on the stream's device, which lives as long as this.
/// One allocation is made here; `run` allocates nothing and is one launch of a CUDA graph. A missing or a foreign axis does not compile,
/// nor does a program with loops or folds: those kernels do not exist yet.
template <class Program, class T = float> class cuda_bound {
 public:
  template <class... A>
  cuda_bound(exec::cuda_stream const& stream, binding<A...> const& b)
      : ext_(detail::checked_extents<Program>(b)),
        program_(Program::graph, plan::view, ext_, cuda::group_launches<T, plan>(), stream.handle()) {
    static_assert(every_statement_has_a_cuda_kernel<Program, cuda::detail::unsupported_op<plan>()>,
                  "cuda_bound: an operation of the program has no CUDA kernel yet");
    for (int k = 0; k < graph().nleaves; ++k) set_zero(k);
  }

  static constexpr graph_view graph() { return Program::graph; }
  extents const& lengths() const { return ext_; }
  cuda::program<T>& program() { return program_; }

  /// Copies an input in, row-major in the model's axes. Errors: no such input; another size; an index outside its axis (-1 is "none").
  template <class V> void set(std::string_view name, std::span<V const> values) {
    set_leaf(detail::input_leaf(graph(), name), values);
  }
  template <class V> void set_leaf(int k, std::span<V const> values) {
    if (graph().leaves[k].node < 0) return;   // declared, but no wanted result depends on it
    detail::check_values(graph(), ext_, k, static_cast<std::size_t>(program_.leaf_elements(k)), values);
    std::vector<T> const as(values.begin(), values.end());
    program_.upload(k, as.data());
  }
  /// The weights of a result's elements in the scalar that is differentiated (a training program). Errors: it is not differentiated.
  template <class V> void set_cotangent(std::string_view result, std::span<V const> values) {
    int const k = detail::find_leaf(graph(), result, leaf_role::seed);
    if (k < 0)
      raise(error_kind::argument, message() << "the program does not differentiate a result called " << std::string(result).c_str());
    set_leaf(k, values);
  }
  /// Copies parameters in; later changes of the set are not seen until they are bound again.
  void bind_parameters(parameter_set<T> const& p) {
    for (int k = 0; k < graph().nleaves; ++k)
      if (graph().leaves[k].role == leaf_role::parameter && graph().leaves[k].node >= 0) program_.upload(k, p.data(k));
  }
  void set_random(std::uint64_t seed, std::uint64_t step, bool training) { program_.set_random(seed, step, training); }

  /// Puts the program on the stream; does not wait. Results wait for it.
  void run() { program_.run(); }

  /// A result in the model's axes, row-major.
  std::vector<T> output(std::string_view name) { return program_.output(detail::output_called(graph(), name)); }
  /// The gradient of a parameter by its checkpoint name, or of an input: row-major in its axes. Errors: the program has none.
  std::vector<T> gradient(std::string_view name) {
    for (int k = 0; k < graph().nleaves; ++k) {
      leaf const& l = graph().leaves[k];
      int const o = detail::gradient_of(graph(), k);
      for (std::int64_t i = 0, parts = leaf_parts(l, ext_); o >= 0 && i < parts; ++i) {
        if (leaf_name(graph(), l, i) != name) continue;
        std::vector<T> const all = program_.output(o);
        auto const n = static_cast<std::ptrdiff_t>(leaf_size(l, ext_));
        return {all.begin() + i * n, all.begin() + (i + 1) * n};
      }
    }
    raise(error_kind::argument, message() << "the program has no gradient of " << std::string(name).c_str());
  }

 private:
  using plan = cuda::detail::device_plan<Program>;
  extents ext_;
  cuda::program<T> program_;

  void set_zero(int k) {
    leaf_role const role = graph().leaves[k].role;
    if (graph().leaves[k].node < 0 || role == leaf_role::parameter) return;
    std::vector<T> const zeros(static_cast<std::size_t>(program_.leaf_elements(k)), T(0));
    program_.upload(k, zeros.data());
  }
};

}  // namespace dyadic
