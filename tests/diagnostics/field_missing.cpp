// error: DYADIC_FIELDS: a member of the module is not listed
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct feature : axis<> {};
struct scale {
  parameter<feature> gain, bias;
  DYADIC_FIELDS(gain)
  constexpr auto operator()(auto x) const { return x * gain(x) + bias(x); }
};
struct model {
  scale affine;
  DYADIC_FIELDS(affine)
  constexpr auto operator()(source in) const { return results(named("y", affine(in.input<batch, feature>("x")))); }
};
constexpr auto& graph = traced<model>::graph;
