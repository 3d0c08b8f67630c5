// A program with its extents bound: buffers, inputs by name, results by name. The only allocations are made when it is constructed.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyadic/axes/bind.hpp"
#include "dyadic/cpu/compiled.hpp"
#include "dyadic/cpu/interpreter.hpp"
#include "dyadic/exec/checked_extents.hpp"
#include "dyadic/exec/named.hpp"
#include "dyadic/exec/parameters.hpp"
#include "dyadic/passes/memory.hpp"
#include "dyadic/passes/program.hpp"
#include "dyadic/tensor/view.hpp"

namespace dyadic {

/// Executes one (graph, plan) at given extents. `memory_plan` and engine are made here, with every buffer at the size of the longest
/// ranges: set, set_leaf, run and the forms of output that return no vector allocate nothing.
template <class T> class runner {
 public:
  runner(graph_view g, cpu::compiled<T> const& p, extents const& e, cpu::options const& o = {}, memory_request const& request = {})
      : graph(g), plan(p.plan), ext(e), memory_(owned<memory_plan>::make(plan_memory(g, p.plan, e, request))),
        engine_(owned<cpu::interpreter<T>>::make(g, p.plan, *memory_, e, o, p.kernels)), inputs_(static_cast<std::size_t>(g.nleaves)) {
    check();
    for (int k = 0; k < g.nleaves; ++k) {
      leaf const& l = g.leaves[k];
      if (l.node < 0 || (l.role != leaf_role::input && l.role != leaf_role::index && l.role != leaf_role::seed)) continue;
      inputs_[static_cast<std::size_t>(k)].assign(static_cast<std::size_t>(leaf_size(l, e)), T(0));
      engine_->bind_leaf(k, inputs_[static_cast<std::size_t>(k)].data());
    }
  }

  runner(graph_view g, plan_view p, extents const& e, cpu::options const& o = {}, memory_request const& request = {})
      : runner(g, cpu::compiled<T>{p}, e, o, request) {}

  graph_view graph;
  plan_view plan;
  extents ext;

  cpu::interpreter<T>& engine() { return *engine_; }
  memory_plan const& storage() const { return *memory_; }

  void bind_parameters(shared<parameter_set<T>> p) {
    parameters_ = std::move(p);
    parameter_set<T> const& read = *parameters_;
    for (int k = 0; k < graph.nleaves; ++k)
      if (graph.leaves[k].role == leaf_role::parameter && graph.leaves[k].node >= 0) engine_->bind_leaf(k, read.data(k));
  }
  bool has_input(std::string_view name) const {
    return detail::find_leaf(graph, name, leaf_role::input) >= 0 || detail::find_leaf(graph, name, leaf_role::index) >= 0;
  }
  int seed_leaf(std::string_view output) const { return detail::find_leaf(graph, output, leaf_role::seed); }

  /// Copies an input in, row-major in the model's axes. Errors: no such input; another size; an index outside its axis (-1 is "none").
  template <class V> void set(std::string_view name, std::span<V const> values) {
    set_leaf(detail::input_leaf(graph, name), values);
  }
  template <class V> void set_leaf(int k, std::span<V const> values) {
    auto& to = inputs_[static_cast<std::size_t>(k)];
    if (graph.leaves[k].node < 0) return;   // declared, but no wanted result depends on it
    detail::check_values(graph, ext, k, to.size(), values);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(values[i]);
  }
  std::span<T> input(int leaf) { return inputs_[static_cast<std::size_t>(leaf)]; }

  void run() { engine_->run(); }

  int output_number(std::string_view name, output_role role = output_role::result) const {
    for (int k = 0; k < graph.noutputs; ++k)
      if (graph.outputs[k].role == role && graph.outputs[k].name && name == graph.outputs[k].name) return k;
    if (role == output_role::result) return output_number(name, output_role::probe);
    raise(error_kind::argument, message() << "the model has no result called " << std::string(name).c_str());
  }
  /// A result in the model's axes, row-major; a solver's axis of passes first.
  std::vector<T> output(std::string_view name) { return engine_->output(output_number(name)); }
  /// The same into memory of the caller's; by number also a gradient: `run.output(run.gradient_output(leaf), to)`.
  /// Errors: no such result; another number of elements.
  void output(std::string_view name, std::span<T> to) const { output(output_number(name), to); }
  void output(int number, std::span<T> to) const {
    if (number < 0 || number >= graph.noutputs) raise(error_kind::argument, message() << "there is no output number " << number);
    if (std::ssize(to) != engine_->output_size(number))
      raise(error_kind::shape, message() << "an output of " << engine_->output_size(number) << " elements, room for " << to.size());
    engine_->output(number, to.data());
  }
  /// A result where it lies, uncopied: read it before the next run, which writes there. `run.output_view<axes<batch, seq>>("loss")`: the
  /// result's axes in any order. Errors: no such result; other axes; error_kind::state, a result kept in a ring of rows.
  template <class List> view<List, T const> output_view(std::string_view name) const {
    int const number = output_number(name);
    dyadic::output const& o = graph.outputs[number];
    shape<List> s;
    std::int64_t own[max_axes]{}, strides[max_axes + 1]{};
    T const* const first = engine_->output_at(number, own);
    int rank = 0;
    auto add = [&](int axis) {
      bool found = false;
      for (int r = 0; r < o.rank; ++r) found = found || o.order[r] == axis;
      if (axis < 0 || !found)
        raise(error_kind::shape, message() << "result " << o.name << " has no axis number " << rank << " of the view");
      s.of[rank] = engine_->rows(axis);
      strides[rank++] = own[axis];
    };
    [&]<class... A>(axes<A...>) { (add(axis_number<A>(graph)), ...); }(List{});
    if (rank != o.rank) raise(error_kind::shape, message() << "result " << o.name << " has " << o.rank << " axes, the view " << rank);
    return {first, s, strides};
  }
  /// The weights of a result's elements in the scalar that is differentiated (a training program): set them before run().
  std::span<T> cotangent(std::string_view result) {
    int const k = seed_leaf(result);
    if (k < 0)
      raise(error_kind::argument, message() << "the program does not differentiate a result called " << std::string(result).c_str());
    return input(k);
  }
  /// The gradient of a parameter by its checkpoint name, or of an input, after run(): row-major in its axes.
  std::vector<T> gradient(std::string_view name) const {
    for (int k = 0; k < graph.nleaves; ++k) {
      leaf const& l = graph.leaves[k];
      int const o = gradient_output(k);
      for (std::int64_t i = 0, parts = leaf_parts(l, ext); o >= 0 && i < parts; ++i) {
        if (leaf_name(graph, l, i) != name) continue;
        std::vector<T> const all = engine_->output(o);
        auto const n = static_cast<std::ptrdiff_t>(leaf_size(l, ext));
        return {all.begin() + i * n, all.begin() + (i + 1) * n};
      }
    }
    raise(error_kind::argument, message() << "the program has no gradient of " << std::string(name).c_str());
  }
  /// The output that holds leaf k's gradient, or -1.
  int gradient_output(int k) const {
    for (int i = 0; i < graph.noutputs; ++i)
      if (graph.outputs[i].role == output_role::gradient && graph.outputs[i].leaf == k) return i;
    return -1;
  }

 private:
  owned<memory_plan> memory_;
  owned<cpu::interpreter<T>> engine_;
  std::vector<std::vector<T>> inputs_;
  shared<parameter_set<T>> parameters_;

  void check() const {
    if (plan.stuck >= 0)
      raise(error_kind::argument,
            message() << "the plan has a recurrence that no loop can cut, at operation " << op_name(graph[plan.stuck].kind));
    // Integers travel as real numbers: exact up to this extent.
    for (int k = 0; k < graph.nleaves; ++k)
      if (graph.leaves[k].role == leaf_role::index && sizeof(T) == 4 && ext.of[graph.leaves[k].of] > (1 << 24))
        raise(error_kind::argument, message() << "input " << graph.leaves[k].name << ": an axis longer than 2^24 needs double");
  }
};

/// A program bound to extents: `bound<evaluation<model>> run(bind(batch{2}, seq{13}))`, or on threads, `run(pool, bind(...))`: the executor
/// lives as long as the program. A missing or a foreign axis does not compile.
template <class Program, class T = float> class bound : public runner<T> {
 public:
  template <class... A>
  explicit bound(binding<A...> const& b, cpu::options const& o = {})
      : runner<T>(Program::graph, o.fuse ? cpu::compile<T, detail::usual_plan<Program>>() : cpu::compiled<T>{Program::plan},
                  detail::checked_extents<Program>(b), o) {}

  template <class... A> bound(cpu::workers on, binding<A...> const& b, cpu::options o = {}) : bound(b, (o.on = on, o)) {}
};

}  // namespace dyadic
