// Tracing a model: its operator() runs once, at compile time, and writes the graph.
#pragma once
#include <utility>

// Named directly, the lowest first: compilers print the chain of includes with every error.
#include "dyadic/axes/bind.hpp"
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_table.hpp"
#include "dyadic/graph/scan.hpp"
#include "dyadic/graph/carry.hpp"
#include "dyadic/graph/repeat.hpp"
#include "dyadic/graph/chunked.hpp"
#include "dyadic/graph/memory.hpp"
#include "dyadic/graph/module.hpp"
#include "dyadic/graph/sealed.hpp"
#include "dyadic/graph/source.hpp"
#include "dyadic/graph/tree.hpp"

namespace dyadic {

namespace detail {
/// Axes of inputs that no parameter has are independent rows: they lie outside of features in every value's layout.
constexpr void find_batch_axes(builder& b) {
  axis_set inputs = 0, parameters = 0;
  for (int k = 0; k < b.leaves.size; ++k) (b.leaves[k].role == leaf_role::parameter ? parameters : inputs) |= b.shape(b.leaves[k].node);
  for (int a = 0; a < b.axes.size; ++a)
    if (b.axes[a].role == axis_role::plain && (inputs & ~parameters & bit_of(a))) b.axes[a].role = axis_role::batch;
}
/// Links the far operands to what memories and states came to hold, and checks them.
constexpr void link(builder& b) {
  for (int i = 0; i < b.held.size; ++i) {
    held_values const& h = b.held[i];
    if (h.key < 0) b.fail(h.kind == held_values::memory ? fault::memory_never_appended : fault::state_never_written, h.line);
  }
  if (b.error != fault::none) return;
  int const size = b.size();
  for (int i = 0; i < size; ++i) {
    node& x = b[i];
    if (x.kind == op::at_key && x.arg[0] < 0) {                    // was the position stored?
      held_values const& h = b.held[x.slot];
      x.slot = -1;
      if (h.when >= 0) { x.arg[0] = h.when; x.axes = b.shape(h.when) | pair_bit; }
      else { x = node{}; x.kind = op::constant; x.type = dtype::boolean; x.value = 1; }
    }
  }
  for (int i = 0; i < size; ++i) {
    node& x = b[i];
    if (x.kind == op::select && (x.axes & pair_bit)) for (int k = 0; k < x.nargs; ++k) x.axes |= b.shape(x.arg[k]);
    if (x.axes & pair_bit) {
      op_class const kind = traits(x.kind).kind;
      bool const again = x.kind == op::at_key && (b.shape(x.arg[0]) & pair_bit);
      if ((kind != op_class::map && kind != op_class::pair) || again) b.fail(fault::score_not_pointwise, x.line);
    }
    if (x.kind == op::attend) {
      held_values const& h = b.held[x.slot];
      x.arg[3] = h.key; x.arg[4] = h.value; x.slot = -1;
      axis_set const free = bit_of(x.axis) | bit_of(x.aux);
      if ((b.shape(h.key) & ~free & ~x.axes) || (b.shape(h.value) & ~free & ~x.axes)) b.fail(fault::memory_changes_axes, h.line);
    } else if (x.kind == op::prev && x.arg[0] < 0) {
      held_values const& h = b.held[x.slot];
      x.arg[0] = h.key;
      if (b.shape(h.key) & ~x.axes) b.fail(fault::state_changes_axes, h.line);
    } else if (x.kind == op::take && x.far[0]) {
      x.arg[0] = b.held[x.slot].key;
    }
  }
}
}  // namespace detail

namespace detail {
template <class A, class B> constexpr void fix_extent(builder& b, B const& bound) {
  b.axes[axis_id<A>(b)].extent = bound.template get<A>();
}
/// What the model's configuration binds; nothing when it has none.
template <class Model> constexpr auto fixed_extents() {
  if constexpr (requires { Model::extents(); }) return Model::extents();
  else return binding<>{};
}
template <class... A, template <class...> class Binding> constexpr void fix_extents(builder& b, Binding<A...> const& bound) {
  (fix_extent<A>(b, bound), ...);
}
/// Axes of a length of their own (a cell's gates) take their numbers from the parameters before the configuration's axes do: values are
/// laid out in the order of the numbers, and gates that lie apart are read as rows.
template <class... A> constexpr void number_fixed_axes(parameter<A...>&, builder& b) {
  ((A::static_extent >= 0 ? static_cast<void>(axis_id<A>(b)) : static_cast<void>(0)), ...);
}
template <class Layer, class Block> constexpr void number_fixed_axes(stack<Layer, Block>& s, builder& b);
template <class M> constexpr void number_fixed_axes(M& m, builder& b) {
  if constexpr (has_fields<M>) m.dyadic_fields([&](auto& field, char const*) { number_fixed_axes(field, b); });
}
template <class Layer, class Block> constexpr void number_fixed_axes(stack<Layer, Block>& s, builder& b) { number_fixed_axes(s.block, b); }
}  // namespace detail

/// Runs a model's definition. Faults are left in the builder; traced<Model> reports them.
template <class Model> constexpr builder trace() {
  builder b;
  Model m{};
  if constexpr (requires { Model::extents(); }) detail::number_fixed_axes(m, b);
  detail::fix_extents(b, detail::fixed_extents<Model>());
  detail::name_module(m, b, path_part{});
  m(source{&b});
  detail::link(b);
  detail::find_batch_axes(b);
  if (b.outputs.size == 0) b.fail(fault::no_result, 0);
  return b;
}

struct trace_status { fault error; int line; };
namespace detail {
/// Reports a fault by name; Line is the source line it was met at.
template <class Model, fault Met, int Line> constexpr bool check_trace() {
  using enum fault;
  static_assert(Met != memory_never_appended, "memory_never_appended: a memory is read but nothing is appended to it");
  static_assert(Met != memory_appended_twice, "memory_appended_twice: a memory takes one append");
  static_assert(Met != memory_changes_axes, "memory_changes_axes: what is appended has an axis that the attention's operands lack");
  static_assert(Met != state_never_written, "state_never_written: a carry is read but never written");
  static_assert(Met != state_written_twice, "state_written_twice: a carry takes one write");
  static_assert(Met != state_changes_axes, "state_changes_axes: the carry's initial value lacks an axis of the written value");
  static_assert(Met != score_not_pointwise, "score_not_pointwise: a score may not reduce, index or read a key of a key");
  static_assert(Met != parameter_outside_its_repeat, "parameter_outside_its_repeat: a stack's parameter is read outside its repeat");
  static_assert(Met != parameter_without_a_name, "parameter_without_a_name: the parameter is in no DYADIC_FIELDS of the model");
  static_assert(Met != parameter_in_two_repeats, "parameter_in_two_repeats: a parameter has at most one repeat's index: "
                                                 "name the other axis in the parameter");
  static_assert(Met != no_result, "no_result: the model returns nothing: return results(named(\"y\", y))");
  static_assert(Met != output_named_twice, "output_named_twice: two results or probes have one name");
  static_assert(Met != too_many_axes, "too_many_axes: a graph has at most 30 axes");
  static_assert(Met != too_many_nodes, "too_many_nodes: a graph has at most 32000 nodes");
  static_assert(Met != no_derivative, "no_derivative: an op on the way to a parameter has no derivative");
  return true;
}
// A model whose fields are wrong is not traced: one mistake, one error.
template <class Model, bool Whole> constexpr builder trace_if() {
  if constexpr (Whole) return trace<Model>();
  else return builder{};
}
template <class Model, bool Whole> constexpr trace_status status_of() {
  builder const b = trace_if<Model, Whole>();
  return {b.error, b.error_line};
}
}  // namespace detail

template <class Model> struct traced {
  static_assert(sizeof(Model) > 0);   // what the model itself asserts comes first
  // The definition is instantiated before anything is evaluated, so that an error in it comes with a short trail.
  static_assert(detail::every_field_is_listed<detail::unlisted_module<Model>>, "DYADIC_FIELDS: a member of the module is not listed");
  using fixed = decltype(detail::fixed_extents<Model>());
  using definition = decltype(std::declval<Model const&>()(std::declval<source>()));

  static constexpr bool whole = std::is_void_v<detail::unlisted_module<Model>>;
  static constexpr trace_status status = detail::status_of<Model, whole>();
  static_assert(detail::check_trace<Model, status.error, status.line>());
  struct make_graph { static constexpr builder make() { return detail::trace_if<Model, whole>(); } };
  static constexpr graph_view const& graph = sealed<make_graph>::view;
};

}  // namespace dyadic
