// A binding of run-time axes checked against a program, while compiling as far as types tell.
#pragma once
#include "dyadic/axes/bind.hpp"
#include "dyadic/passes/program.hpp"

namespace dyadic {

namespace detail {
template <class Program, class Binding> constexpr int missing_axis() {
  Binding known{};   // which axes, not how long
  for (auto& n : known.n) n = 1;
  return first_unbound_axis(Program::graph, extents_of(Program::graph, known));
}
}  // namespace detail

/// True when every run-time axis of the program is in the binding; Axis is the number of one that is not.
template <class Binding, int Axis> inline constexpr bool every_axis_is_bound = Axis < 0;
template <class Binding, int Place> inline constexpr bool every_bound_axis_is_in_the_model = Place < 0;

namespace detail {
/// The extents of a program's axes under a binding.
template <class Program, class... A> extents checked_extents(binding<A...> const& b) {
  static_assert(every_axis_is_bound<binding<A...>, missing_axis<Program, binding<A...>>()>,
                "bind: an axis of the model is not bound");
  static_assert(every_bound_axis_is_in_the_model<binding<A...>, foreign_axis<binding<A...>>(Program::graph)>,
                "bind: the model has no such axis");
  extents const e = extents_of(Program::graph, b);
  int const bad = first_contradicted_axis(Program::graph, e);
  if (bad >= 0)
    raise(error_kind::binding, (message() << "axis ").add(Program::graph.axes[bad].name, Program::graph.axes[bad].name_size)
                                   << " is bound to " << e.of[bad] << ", but the model fixes another extent");
  return e;
}
}  // namespace detail

}  // namespace dyadic
