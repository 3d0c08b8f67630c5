// The member of a family of models that has as many parameters as a budget allows, found by varying one thing of its configuration:
// the deepest, the widest. Every probe is a trace at compile time, so the search makes few of them.
#pragma once
#include <cstdint>

#include "dyadic/passes/measures.hpp"

namespace dyadic {

/// within: the largest member that does not exceed the budget. nearest: it or the next larger one, whichever is closer.
enum class match_rule : std::uint8_t { within, nearest };

// What a search varies: apply(start, n) is the n-th configuration.
struct vary_layers {
  template <class Config> static constexpr Config apply(Config c, int n) { c.layers = n; return c; }
};
/// The width in steps of Step; what else depends on it (hidden, head_dim) stays as it is: write a struct of your own to scale it along.
template <int Step> struct vary_width {
  template <class Config> static constexpr Config apply(Config c, int n) { c.width = n * Step; return c; }
};

template <std::int64_t Count, std::int64_t Budget> inline constexpr bool smallest_member_is_within_the_budget = Count <= Budget;

namespace detail {

// The largest n with Probe::template count<n> <= Budget, given that Lo is such an n; count never falls.
template <class Probe, std::int64_t Budget, int Lo, int Hi> constexpr int bisect_members() {   // Hi is not
  if constexpr (Hi - Lo <= 1) return Lo;
  else if constexpr (Probe::template count<Lo + (Hi - Lo) / 2> <= Budget) return bisect_members<Probe, Budget, Lo + (Hi - Lo) / 2, Hi>();
  else return bisect_members<Probe, Budget, Lo, Lo + (Hi - Lo) / 2>();
}
template <class Probe, std::int64_t Budget, int Lo, int Hi> constexpr int gallop_members() {
  if constexpr (Probe::template count<Hi> <= Budget) return gallop_members<Probe, Budget, Hi, 2 * Hi>();
  else return bisect_members<Probe, Budget, Lo, Hi>();
}
// Layers add the same each: two counts foretell the rest, and two more prove it. Otherwise by doubling and halving.
template <class Probe, std::int64_t Budget> constexpr int largest_member() {
  constexpr std::int64_t one = Probe::template count<1>;
  static_assert(smallest_member_is_within_the_budget<one, Budget>,
                "match_params: even the smallest member of the family exceeds the budget");
  if constexpr (one > Budget) return 1;
  else {
    constexpr std::int64_t each = Probe::template count<2> - one;
    constexpr std::int64_t guess = each > 0 ? 1 + (Budget - one) / each : 1;
    constexpr int n = guess < (std::int64_t{1} << 16) ? static_cast<int>(guess) : 1;
    if constexpr (n > 1 && Probe::template count<n> <= Budget) {
      if constexpr (Probe::template count<n + 1> > Budget) return n;
      else return gallop_members<Probe, Budget, n, 2 * n>();
    } else {
      return gallop_members<Probe, Budget, 1, 2>();
    }
  }
}

}  // namespace detail

/// Family<C> is a model for configurations C like Start, Count<Model>::value its number of parameters, Knob::apply(Start, n) the n-th
/// configuration, n >= 1. `type` is the model found, `configuration` and `n` how it was made. Errors: not even the first fits the budget.
template <template <auto> class Family, template <class> class Count, auto Start, std::int64_t Budget, class Knob,
          match_rule Rule = match_rule::within>
struct matched_member {
  struct probe { template <int Size> static constexpr std::int64_t count = Count<Family<Knob::apply(Start, Size)>>::value; };
  static constexpr int largest = detail::largest_member<probe, Budget>();
  static constexpr int n = [] {
    if constexpr (Rule == match_rule::within) return largest;
    else return probe::template count<largest + 1> - Budget < Budget - probe::template count<largest> ? largest + 1 : largest;
  }();
  static constexpr auto configuration = Knob::apply(Start, n);
  static constexpr std::int64_t count = probe::template count<n>;
  using type = Family<configuration>;
};

/// The configuration a model was made with: C of X<C> or X<C, options>.
template <class Model> struct configuration_of;
template <template <auto> class X, auto C> struct configuration_of<X<C>> { static constexpr auto value = C; };
template <template <auto, auto> class X, auto C, auto O> struct configuration_of<X<C, O>> { static constexpr auto value = C; };

namespace detail {
template <class Model> struct counted_parameters { static constexpr std::int64_t value = parameter_count<Model>; };
}

/// match_params<transformer, Model>: the deepest transformer, otherwise configured like Model, that has no more parameters than Model.
/// With vary_width<64> the widest, with match_rule::nearest the closest. Family has one template parameter: use an alias for one with
/// options.
template <template <auto> class Family, class Model, class Knob = vary_layers, match_rule Rule = match_rule::within>
using match_params =
    typename matched_member<Family, detail::counted_parameters, configuration_of<Model>::value, parameter_count<Model>, Knob, Rule>::type;

}  // namespace dyadic
