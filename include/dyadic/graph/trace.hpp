// Tracing a model: its operator() runs once, at compile time, and writes the graph.
#pragma once
#include "dyadic/graph/chunked.hpp"
#include "dyadic/graph/memory.hpp"
#include "dyadic/graph/module.hpp"
#include "dyadic/graph/sealed.hpp"
#include "dyadic/graph/source.hpp"
#include "dyadic/graph/tree.hpp"

namespace dyadic {

namespace detail {
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
template <class... A, template <class...> class Binding> constexpr void fix_extents(builder& b, Binding<A...> const& bound) {
  (fix_extent<A>(b, bound), ...);
}
}  // namespace detail

/// Runs a model's definition. Faults are left in the builder; traced<Model> reports them.
template <class Model> constexpr builder trace() {
  builder b;
  if constexpr (requires { Model::extents(); }) detail::fix_extents(b, Model::extents());
  Model m{};
  detail::name_module(m, b, path_part{});
  m(source{&b});
  detail::link(b);
  if (b.outputs.size == 0) b.fail(fault::no_result, 0);
  return b;
}

/// True unless the definition of Model has the named fault; Line is the source line it was met at.
template <class Model, fault F, int Line> inline constexpr bool model_is_well_formed = F == fault::none;

struct trace_status { fault error; int line; };
template <class Model> struct traced {
  static constexpr trace_status status = [] { builder const b = trace<Model>(); return trace_status{b.error, b.error_line}; }();
  static_assert(model_is_well_formed<Model, status.error, status.line>, "the model's definition is not well-formed");
  struct make_graph { static constexpr builder make() { return trace<Model>(); } };
  static constexpr graph_view const& graph = sealed<make_graph>::view;
};

}  // namespace dyadic
