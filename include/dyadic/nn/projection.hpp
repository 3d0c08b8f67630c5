// How a weight meets its input: y = x W^T with W stored [out..., in...], as Hugging Face's files store it. An axis on both sides of the
// weight (a square weight) is two axes: the input side is written prime<A>, and the value is renamed on its way in.
#pragma once
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/module.hpp"

namespace dyadic::nn {

namespace detail {
template <class List> struct listed { using type = axes<List>; };
template <class... A> struct listed<axes<A...>> { using type = axes<A...>; };
/// `feature` and `axes<feature>` name the same side of a weight.
template <class List> using side = typename listed<List>::type;

template <class A, class Out> using input_axis = std::conditional_t<has_axis<Out, A>, prime<A>, A>;

template <class Out, class In> struct weight_type;
template <class... O, class... In> struct weight_type<axes<O...>, axes<In...>> {
  static_assert(axes_are_distinct<axes<O...>> && axes_are_distinct<axes<In...>>, "a weight names an axis twice on one side");
  using type = parameter<O..., input_axis<In, axes<O...>>...>;
  static constexpr int inputs = static_cast<int>(sizeof...(In));
};

template <class Out, class X> constexpr auto input_side(X x, axes<>) { return x; }
template <class Out, class X, class A, class... B> constexpr auto input_side(X x, axes<A, B...>) {
  if constexpr (has_axis<Out, A>) return input_side<Out>(rename<A, prime<A>>(x), axes<B...>{});
  else return input_side<Out>(x, axes<B...>{});
}
template <class... In, class X, class W> constexpr auto contract_over(X x, W w, axes<In...>, int line) {
  return contract<In...>(x, w, line);
}
template <class Out, class... In, class X, class W> constexpr auto project(X x, W w, axes<In...> in, int line) {
  return contract_over(input_side<Out>(x, in), w, axes<input_axis<In, Out>...>{}, line);
}
template <class P> struct bias_type;
template <class... O> struct bias_type<axes<O...>> { using type = parameter<O...>; };
}  // namespace detail

/// The parameter that maps the axes In to the axes Out.
template <class Out, class In> using matrix = typename detail::weight_type<detail::side<Out>, detail::side<In>>::type;
/// A parameter over the axes of a list.
template <class Out> using vector = typename detail::bias_type<detail::side<Out>>::type;

/// x contracted with w, the value of a matrix<Out, In>: x's axes without In, with Out.
/// Errors: an axis of In that x does not have.
template <class Out, class In, expression X, expression W> constexpr auto project(X x, W w, int line = __builtin_LINE()) {
  return detail::project<detail::side<Out>>(x, w, detail::side<In>{}, line);
}

}  // namespace dyadic::nn
