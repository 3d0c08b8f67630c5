// Questions about a model as a type: how many parameters it has, what it costs. In a static_assert, or at run time.
#pragma once
#include "dyadic/axes/bind.hpp"
#include "dyadic/passes/cost.hpp"
#include "dyadic/passes/parameter_count.hpp"
#include "dyadic/passes/program.hpp"

namespace dyadic {

// The conditions of the static_asserts.
template <class Model> inline constexpr bool configuration_fixes_every_parameter =
    unbound_parameter_axes(traced<Model>::graph, extents_of(traced<Model>::graph, detail::fixed_extents<Model>())) == 0;
/// False when an axis of the program is bound neither by the model's configuration nor by the arguments.
template <class Program, class... A> inline constexpr bool every_axis_of_the_program_is_bound = [] {
  binding<A...> const zero;
  return unbound_axes(Program::graph, extents_of(Program::graph, join(detail::fixed_extents<typename Program::model>(), zero))) == 0;
}();

namespace detail {
template <class Model> struct parameters_of {
  static_assert(configuration_fixes_every_parameter<Model>, "parameter_count: an axis of a parameter has no extent in Model::extents()");
  // nvcc takes a reference member beside this one for initialised twice
  static constexpr std::int64_t count =
      count_parameters(traced<Model>::graph, extents_of(traced<Model>::graph, detail::fixed_extents<Model>()));
};
template <class X> concept program_type = requires { typename X::model; X::graph; X::plan; };
template <class X> struct program_of { using type = evaluation<X>; };
template <program_type X> struct program_of<X> { using type = X; };

/// The axis a decoder would move along: the first that is scanned and no part of another.
constexpr int stream_axis(graph_view const& g) {
  for (int a = 0; a < g.naxes; ++a)
    if (g.axes[a].role == axis_role::scan && g.axes[a].rule == extent_rule::bound) return a;
  return -1;
}
}  // namespace detail

/// The number of parameters of a model whose configuration fixes their axes; shared ones count once.
template <class Model> inline constexpr std::int64_t parameter_count = detail::parameters_of<Model>::count;

/// cost<Model>(batch{1}, seq{2048}).flops; also bytes, kernels, peak_bytes, cache_bytes_per_token. X is a model (its evaluation is meant)
/// or a program: cost<training<Model>>(...). Errors (compile time): an axis that is bound twice or not at all.
template <class X, class... A> constexpr program_cost cost(A const&... a) {
  using P = typename detail::program_of<X>::type;
  static_assert(every_axis_of_the_program_is_bound<P, A...>, "cost: an axis of the program has no extent");
  cost_request q;
  q.stream = detail::stream_axis(P::graph);
  return measure_cost(P::graph, P::plan, extents_of(P::graph, join(detail::fixed_extents<typename P::model>(), bind(a...))), q);
}

}  // namespace dyadic
