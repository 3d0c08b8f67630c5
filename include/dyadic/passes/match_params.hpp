// The member of a family of models that has as many parameters as a budget allows, found by varying one thing of its configuration:
// the deepest, the widest. Every probe is a trace at compile time, so the search makes few of them.
#pragma once
#include <cstdint>

namespace dyadic {

/// within: the largest member that does not exceed the budget. nearest: it or the next larger one, whichever is closer.
enum class match_rule : std::uint8_t { within, nearest };

/// What a search varies: member `Member` of the configuration, in multiples of Step.
template <auto Member, int Step = 1> struct vary {
  template <class Config> static constexpr Config apply(Config c, int n) {
    c.*Member = n * Step;
    return c;
  }
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
  static_assert(smallest_member_is_within_the_budget<one, Budget>, "match_params: even the smallest member of the family exceeds the budget");
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

/// Family<C> is a model for every value C of the structure Config; Count<Model>::value its number of parameters; Knob::apply(Start, n) the
/// n-th configuration, n >= 1. `type` is the model found, `configuration` and `n` how it was made. Errors: no member fits (rule within).
template <class Config, template <Config> class Family, template <class> class Count, Config Start, std::int64_t Budget, class Knob,
          match_rule Rule = match_rule::within>
struct matched_member {
  struct probe { template <int N> static constexpr std::int64_t count = Count<Family<Knob::apply(Start, N)>>::value; };
  static constexpr int largest = detail::largest_member<probe, Budget>();
  static constexpr int n = [] {
    if constexpr (Rule == match_rule::within) return largest;
    else return probe::template count<largest + 1> - Budget < Budget - probe::template count<largest> ? largest + 1 : largest;
  }();
  static constexpr Config configuration = Knob::apply(Start, n);
  static constexpr std::int64_t count = probe::template count<n>;
  using type = Family<configuration>;
};

}  // namespace dyadic
