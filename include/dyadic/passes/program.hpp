// The programs of a model: its graph and plan for evaluation, for training (under a solver or not) and for streaming. Each pass in a
// constant of its own, made when it is used.
#pragma once
#include <initializer_list>
#include <type_traits>

#include "dyadic/graph/trace.hpp"
#include "dyadic/passes/adjoint.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/causality.hpp"
#include "dyadic/passes/cuts.hpp"
#include "dyadic/passes/rows.hpp"
#include "dyadic/passes/simplify.hpp"
#include "dyadic/passes/solve.hpp"
#include "dyadic/plan/queries.hpp"

namespace dyadic {

// How a recurrence is evaluated over a known sequence. Axis: the sequence; void: the one along which a state is fed back.
struct exact { static constexpr solver_kind kind = solver_kind::none; using axis = void; };
template <class Axis = void> struct jacobi { static constexpr solver_kind kind = solver_kind::jacobi; using axis = Axis; };
template <class Axis = void> struct interleaved { static constexpr solver_kind kind = solver_kind::interleaved; using axis = Axis; };

/// The number of axis A in g, or -1.
template <class A> constexpr int axis_number(graph_view const& g) {
  for (int i = 0; i < g.naxes; ++i) if (g.axes[i].key == axis_key<A>) return i;
  return -1;
}

namespace detail {
template <class Make> struct sealed_plan_of {
  static constexpr int size = Make::make().s.size;
  static constexpr auto plan = seal<size>(Make::make());
  static constexpr plan_view view = plan.view();
};
template <class Program> struct stuck_at {   // the operation of a recurrence that no loop can cut, and its line
  static constexpr op kind = Program::plan.stuck < 0 ? op::input : Program::graph[Program::plan.stuck].kind;
  static constexpr int line = Program::plan.stuck < 0 ? 0 : Program::graph[Program::plan.stuck].line;
};
template <class Model, op At, int Line> inline constexpr bool every_recurrence_has_a_loop_axis = At == op::input;
/// The plan of a program that has to have one.
template <class Model, op At, int Line> constexpr auto check_recurrences() {
  static_assert(every_recurrence_has_a_loop_axis<Model, At, Line>,
                "a recurrence has no usable loop axis: along each, it reads both earlier and later positions of itself");
  return true;
}
template <class Make> struct checked_plan_of {
  struct program {
    static constexpr plan_view const& plan = sealed_plan_of<Make>::view;
    static constexpr graph_view const& graph = Make::program::graph;
  };
  static_assert(check_recurrences<typename Make::program::model, stuck_at<program>::kind, stuck_at<program>::line>());
  static constexpr plan_view view = sealed_plan_of<Make>::view;
};
template <class A> constexpr int axis_to_solve(graph_view const& g) {
  if constexpr (!std::is_void_v<A>) return axis_number<A>(g);
  else {
    for (int a = 0; a < g.naxes; ++a) {
      scratch<std::uint8_t> cut(g.size);
      if (g.axes[a].role == axis_role::scan && states_to_cut(g, a, cut.p) > 0) return a;
    }
    return -1;
  }
}
template <class Model> struct make_simple { static constexpr builder make() { return simplify(traced<Model>::graph); } };
template <class Model, class Solver, bool Found> inline constexpr bool model_feeds_a_state_back = Found;
template <class Model, class Solver> struct make_solved {
  static constexpr int axis = axis_to_solve<typename Solver::axis>(sealed<make_simple<Model>>::view);
  static constexpr builder make() {   // evaluation reports an axis that is not there
    if constexpr (axis < 0) return simplify(sealed<make_simple<Model>>::view);
    else return simplify(solve(sealed<make_simple<Model>>::view, axis, Solver::kind).view());
  }
};
template <class Program> struct make_plan {
  using program = Program;
  static constexpr plan make() { return arrange(Program::graph); }
};
}  // namespace detail

/// Evaluation: every output of the model.
template <class Model, class Solver = exact> struct evaluation {
  using model = Model;
  using solver = Solver;
  static_assert(detail::model_feeds_a_state_back<Model, Solver, detail::make_solved<Model, Solver>::axis >= 0>,
                "a solver needs a recurrence along its axis: train this model without");
  static constexpr graph_view const& graph = sealed<detail::make_solved<Model, Solver>>::view;
  static constexpr plan_view const& plan = detail::checked_plan_of<detail::make_plan<evaluation>>::view;
};
template <class Model> struct evaluation<Model, exact> {
  using model = Model;
  using solver = exact;
  static constexpr graph_view const& graph = sealed<detail::make_simple<Model>>::view;
  static constexpr plan_view const& plan = detail::checked_plan_of<detail::make_plan<evaluation>>::view;
};

namespace detail {
template <class Model, class Solver, bool Inputs, std::uint32_t Results> struct make_adjoint {
  static constexpr builder make() {
    adjoint_request r;
    r.inputs = Inputs; r.outputs = Results;
    return adjoint(evaluation<Model, Solver>::graph, r);
  }
};
template <class Model, class Solver, bool Inputs, std::uint32_t Results> struct make_joint {
  using model = Model;
  static constexpr builder make() { return simplify(sealed<make_adjoint<Model, Solver, Inputs, Results>>::view); }
};
template <class Model, class Solver, bool Inputs, class Keep, std::uint32_t Results> struct make_training {
  static constexpr builder make() { return Keep::template cut<make_joint<Model, Solver, Inputs, Results>>(); }
};
/// Marks the statements that run on a pass's active rows alone.
constexpr void restrict_rows(graph_view const& g, plan& p) {
  int passes = -1, rows = -1;
  for (int k = 0; k < g.nleaves; ++k)
    if (g.leaves[k].role == leaf_role::active) { passes = g.leaves[k].order[0]; rows = g.leaves[k].order[1]; }
  if (passes < 0) return;
  scratch<std::uint8_t> active(g.size);
  active_rows(g, rows, passes, active.p);
  for (int i = 0; i < p.s.size; ++i)
    if (p.s[i].kind == stmt::run && active.p[p.s[i].id]) p.s[i].active_rows = true;
}
template <class Program> struct make_training_plan {
  using program = Program;
  static constexpr plan make() {
    plan p = arrange(Program::graph);
    restrict_rows(Program::graph, p);
    return p;
  }
};
}  // namespace detail

/// The bits of results by name, for `differentiated`. Errors (compile time): a name that the model does not return.
template <class Model, class... Name> consteval std::uint32_t results_called(Name... name) {
  std::uint32_t bits = 0;
  for (char const* n : {static_cast<char const*>(name)...}) bits |= std::uint32_t{1} << detail::find_output(traced<Model>::graph, n);
  return bits;
}
template <class Model, std::uint32_t Results> inline constexpr bool results_are_the_models =
    Results != 0 && Results >> traced<Model>::graph.noutputs == 0;

/// Reverse mode of the scalar sum(cotangent * result) over some results: `differentiated<model, results_called<model>("energy")>`. Its
/// gradients are those of all parameters and, with Inputs, of real inputs. Every output of the model is there too.
template <class Model, std::uint32_t Results, class Solver = exact, bool Inputs = true, class Keep = keeping::maps> struct differentiated {
  using model = Model;
  using solver = Solver;
  static_assert(results_are_the_models<Model, Results>, "differentiated: no results, or one that the model does not return");
  static_assert(Keep::template fits<detail::make_joint<Model, Solver, Inputs, Results>>());
  static constexpr graph_view const& graph = sealed<detail::make_training<Model, Solver, Inputs, Keep, Results>>::view;
  static constexpr plan_view const& plan = detail::checked_plan_of<detail::make_training_plan<differentiated>>::view;
};

/// Training: the loss and the gradient of every parameter (and of real inputs), every output of the model too. Keep: what backward keeps of
/// the forward computation: keeping::all, maps, boundary, or keeping::bytes<...> of passes/budget.hpp. Gradients do not depend on it.
template <class Model, class Solver = exact, bool Inputs = false, class Keep = keeping::maps> struct training {
  using model = Model;
  using solver = Solver;
  static_assert(detail::find_output(traced<Model>::graph, "loss") >= 0, "training: the model returns no result named loss");
  static_assert(Keep::template fits<detail::make_joint<Model, Solver, Inputs, 0>>());
  static constexpr graph_view const& graph = sealed<detail::make_training<Model, Solver, Inputs, Keep, 0>>::view;   // 0: the loss
  static constexpr plan_view const& plan = detail::checked_plan_of<detail::make_training_plan<training>>::view;
};

// ---- proofs

/// The op that first lets a result of the model depend on later positions, and the source line it was written on.
template <op Op, int Line> struct leaks_at { static constexpr op kind = Op; static constexpr int line = Line; };
template <class Model, class Axis> inline constexpr bool model_has_the_axis = axis_number<Axis>(traced<Model>::graph) >= 0;
namespace detail {
struct causal_verdict { bool ok; op kind; int line; };
template <class Model, class Axis> struct causal_proof {
  static_assert(model_has_the_axis<Model, Axis>, "causal: the model has no such axis");
  static constexpr causal_verdict verdict = [] {
    graph_view const& g = sealed<make_simple<Model>>::view;
    int const axis = axis_number<Axis>(g);
    if (axis < 0) return causal_verdict{true, op::input, 0};   // one mistake, one error
    causality const c = causal_along(g, axis);
    return causal_verdict{c.ok, c.kind, c.line};
  }();
};
template <class Program, class Axis> constexpr int loops_of(loop_kind kind = loop_kind::any) {
  return loops_over(Program::plan, axis_number<Axis>(Program::graph), kind);
}
}  // namespace detail

/// Proved: no result of the model at a position of Axis depends on later positions.
template <class Model, class Axis> inline constexpr bool causal = detail::causal_proof<Model, Axis>::verdict.ok;
/// Where the proof fails.
template <class Model, class Axis> using leak =
    leaks_at<detail::causal_proof<Model, Axis>::verdict.kind, detail::causal_proof<Model, Axis>::verdict.line>;

/// What the plan found for the model over a known sequence is: no loop over Axis; a loop whose folds take tiles; a plain loop.
template <class Model, class Axis, class Solver = exact>
inline constexpr bool parallel = detail::loops_of<evaluation<Model, Solver>, Axis>() == 0;
template <class Model, class Axis, class Solver = exact>
inline constexpr bool tiled = detail::loops_of<evaluation<Model, Solver>, Axis>(loop_kind::tiled) > 0;
template <class Model, class Axis, class Solver = exact>
inline constexpr bool sequential = detail::loops_of<evaluation<Model, Solver>, Axis>() > 0 && !tiled<Model, Axis, Solver>;

// ---- streaming

template <class Model, class Axis, class Leak> inline constexpr bool model_is_causal_along = causal<Model, Axis>;

namespace detail {
template <class Model> struct make_streaming {
  static constexpr builder make() {
    graph_view const& g = traced<Model>::graph;
    std::uint32_t keep = 0;
    for (int i = 0; i < g.noutputs; ++i) if (!same_text(g.outputs[i].name, "loss")) keep |= output_bit(i);
    return simplify(keep_outputs(g, keep).view());
  }
};
template <class Program> struct make_streaming_plan {
  using program = Program;
  static constexpr plan make() {
    order o;
    o.force = axis_number<typename Program::axis>(Program::graph);
    return arrange(Program::graph, o);
  }
};
template <class Program> struct make_prefill_plan { static constexpr plan make() { return arrange(Program::graph); } };
}  // namespace detail

/// Streaming: the axis forced outermost, one position a run; everything but the loss.
template <class Model, class Axis> struct streaming {
  using model = Model;
  using axis = Axis;
  static_assert(model_is_causal_along<Model, Axis, leak<Model, Axis>>,
                "decoding needs a causal model: leaks_at names the operation and the line");
  static constexpr graph_view const& graph = sealed<detail::make_streaming<Model>>::view;
  using steps = detail::make_streaming_plan<streaming>;
  static constexpr plan_view const& plan =   // of a model that leaks, the leak is the one error
      std::conditional_t<causal<Model, Axis>, detail::checked_plan_of<steps>, detail::sealed_plan_of<steps>>::view;
  /// The plan for many positions at once.
  static constexpr plan_view const& prefill = detail::sealed_plan_of<detail::make_prefill_plan<streaming>>::view;
};

}  // namespace dyadic
