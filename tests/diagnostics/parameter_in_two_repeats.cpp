// error: parameter_in_two_repeats
// A stack of stacks: the inner layers' weight would need an index for each.
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct feature : axis<> {};
struct stage : axis<> {};
struct layer : axis<> {};
struct scale {
  parameter<feature> weight;
  DYADIC_FIELDS(weight)
  template <class X> constexpr auto operator()(X x) const { return x * weight(x); }
};
struct layers_of_a_stage {
  stack<layer, scale> layers;
  DYADIC_FIELDS(layers)
  template <class X> constexpr auto operator()(X x) const { return layers(x); }
};
struct model {
  stack<stage, layers_of_a_stage> stages;
  DYADIC_FIELDS(stages)
  constexpr auto operator()(source in) const { return results(named("y", stages(in.input<batch, feature>("x")))); }
};
constexpr auto& graph = traced<model>::graph;
