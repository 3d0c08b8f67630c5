// What a backward pass keeps, by a budget of bytes: of the values that the least policy computes again, those are kept whose making costs
// most for the room they take, as many as fit.
#pragma once
#include "dyadic/passes/cost.hpp"
#include "dyadic/passes/fused.hpp"

namespace dyadic {

/// The values of a joint graph that `least` computes again, most arithmetic per element first.
constexpr detail::grown<std::int16_t> worth_keeping(graph_view joint, extents const& e, keep_policy least) {
  detail::cutter c(joint, least);
  c.run();
  detail::cost_meter const sizes(joint, e, {});
  detail::cost_meter meter(joint, e, {});
  detail::grown<std::int16_t> r;
  detail::scratch<double> value(joint.size);
  for (int i = 0; i < joint.size; ++i) {
    if (!c.copied(i)) continue;
    double const elements = sizes.size(joint.nodes[i].axes);
    value.p[i] = elements > 0 ? meter.flops(i) / elements : 0;
    int at = r.size;
    r.push(static_cast<std::int16_t>(i));
    for (; at > 0 && value.p[r.p[at - 1]] < value.p[i]; --at) r.p[at] = r.p[at - 1];
    r.p[at] = static_cast<std::int16_t>(i);
  }
  return r;
}

/// The largest n in [0, most] for which fits(n), where fits(0) holds and longer ones fit less.
template <class F> constexpr int most_that_fit(int most, F&& fits) {
  int low = 0, high = most + 1;
  while (high - low > 1) {
    int const middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// A joint graph cut to a budget, and what its fused plan then takes.
struct budgeted_cuts {
  builder graph;
  std::int64_t arena = 0;      ///< elements: of values, without parameters, inputs and states
  int kept = 0, candidates = 0;
};

/// The cuts of a joint graph that compute least again among those whose fused plan takes at most `elements` at extents e.
/// Errors: error_kind::argument, a budget below the least possible, which is named.
inline budgeted_cuts cuts_within(graph_view joint, extents const& e, std::int64_t elements) {
  auto finish = [&](builder&& g, int kept, int candidates) {
    plan p = arrange(g.view());
    detail::restrict_rows(g.view(), p);
    plan const f = fuse(g.view(), p.view());
    std::int64_t const arena = plan_memory(g.view(), f.view(), e).arena;
    return budgeted_cuts{static_cast<builder&&>(g), arena, kept, candidates};
  };
  budgeted_cuts all = finish(cuts(joint, keep_policy::keep_all), 0, 0);
  if (all.arena <= elements) return all;
  budgeted_cuts maps = finish(cuts(joint, keep_policy::recompute_maps), 0, 0), least = finish(cuts(joint, keep_policy::boundary), 0, 0);
  bool const by_maps = maps.arena < least.arena;
  if (by_maps) least = static_cast<budgeted_cuts&&>(maps);
  if (least.arena > elements)
    raise(error_kind::argument, message() << "a budget of " << elements << " elements: backward needs " << least.arena << " at least");
  keep_policy const policy = by_maps ? keep_policy::recompute_maps : keep_policy::boundary;
  auto const order = worth_keeping(joint, e, policy);
  least.candidates = order.size;
  most_that_fit(order.size, [&](int n) {
    budgeted_cuts some = finish(cuts(joint, policy, order.p, n), n, order.size);
    bool const fits = some.arena <= elements;
    if (fits) least = static_cast<budgeted_cuts&&>(some);
    return fits;
  });
  return least;
}

template <class Model, std::int64_t Bytes, std::int64_t LeastPossible>
inline constexpr bool budget_holds_the_least_possible = Bytes >= LeastPossible;

namespace detail {
/// A function, because compilers print the arguments of one as numbers.
template <class Model, std::int64_t Bytes, std::int64_t LeastPossible> constexpr bool check_budget() {
  static_assert(budget_holds_the_least_possible<Model, Bytes, LeastPossible>,
                "keeping::bytes: what backward needs is more than the budget");
  return true;   // one mistake, one error
}
template <class Joint, auto Extents> struct budget_extents {
  static constexpr extents value = extents_of(sealed<Joint>::view, join(fixed_extents<typename Joint::model>(), Extents));
};
/// The program whose backward half keeps, of what Policy computes again, the N most valuable. Every constant is one of its own, so that no
/// evaluation becomes long.
template <class Joint, auto Extents, keep_policy Policy> struct keep_order {
  static constexpr int size = worth_keeping(sealed<Joint>::view, budget_extents<Joint, Extents>::value, Policy).size;
  struct table { std::int16_t node[size + 1]; };
  static constexpr table value = [] {
    table t{};
    auto const order = worth_keeping(sealed<Joint>::view, budget_extents<Joint, Extents>::value, Policy);
    for (int i = 0; i < size; ++i) t.node[i] = order.p[i];
    return t;
  }();
};
template <class Joint, auto Extents, keep_policy Policy, int N> struct keep_candidate {
  using model = typename Joint::model;
  struct make_graph {
    static constexpr builder make() {
      if constexpr (N == 0) return cuts(sealed<Joint>::view, Policy);
      else return cuts(sealed<Joint>::view, Policy, keep_order<Joint, Extents, Policy>::value.node, N);
    }
  };
  static constexpr graph_view graph = sealed<make_graph>::view;
  static constexpr plan_view const& plan = sealed_plan_of<make_training_plan<keep_candidate>>::view;
  static constexpr std::int64_t arena =
      plan_memory(graph, fused_plan<usual_plan<keep_candidate>>::view, extents_of(graph, join(fixed_extents<model>(), Extents))).arena;
};
/// Candidate Low fits, High does not (or there is none).
template <class Joint, auto Extents, keep_policy Policy, std::int64_t Elements, int Low, int High> constexpr int most_kept() {
  if constexpr (High - Low <= 1) return Low;
  else {
    constexpr int middle = Low + (High - Low) / 2;
    if constexpr (keep_candidate<Joint, Extents, Policy, middle>::arena <= Elements)
      return most_kept<Joint, Extents, Policy, Elements, middle, High>();
    else return most_kept<Joint, Extents, Policy, Elements, Low, middle>();
  }
}
}  // namespace detail

namespace keeping {
/// As much as Bytes hold: `keeping::bytes<(64 << 20), bind(batch{16}, seq{256})>`. Extents: those the model's configuration leaves open, a
/// solver's passes too. Counted are a training program's values in elements of T, without parameters, inputs and the optimizer's moments;
/// bound to greater extents the program takes more. Errors (compile time): a budget below the least possible, which the message names.
template <std::int64_t Bytes, auto Extents, class T = float> struct bytes {
  template <class Joint> static constexpr bool fits() {
    return choice<Joint>::whole || detail::check_budget<typename Joint::model, Bytes, choice<Joint>::least>();
  }
  template <class Joint> static constexpr builder cut() {
    using c = choice<Joint>;
    if constexpr (c::whole) return detail::keep_candidate<Joint, Extents, keep_policy::keep_all, 0>::make_graph::make();
    else if constexpr (c::least > Bytes) return detail::keep_candidate<Joint, Extents, c::policy, 0>::make_graph::make();   // see fits
    else {
      constexpr int n =
          detail::most_kept<Joint, Extents, c::policy, elements, 0, detail::keep_order<Joint, Extents, c::policy>::size + 1>();
      return detail::keep_candidate<Joint, Extents, c::policy, n>::make_graph::make();
    }
  }

 private:
  static constexpr std::int64_t elements = Bytes / static_cast<std::int64_t>(sizeof(T));
  template <class Joint, keep_policy Policy> static constexpr std::int64_t arena = detail::keep_candidate<Joint, Extents, Policy, 0>::arena;
  template <class Joint> struct choice {
    static constexpr bool whole = arena<Joint, keep_policy::keep_all> <= elements;
    static constexpr bool by_maps = arena<Joint, keep_policy::recompute_maps> < arena<Joint, keep_policy::boundary>;
    static constexpr keep_policy policy = by_maps ? keep_policy::recompute_maps : keep_policy::boundary;
    static constexpr std::int64_t least = arena<Joint, policy> * static_cast<std::int64_t>(sizeof(T));
  };
};
}  // namespace keeping

}  // namespace dyadic
