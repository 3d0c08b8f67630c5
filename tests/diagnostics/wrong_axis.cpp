// error: sum: the value has no such axis
// A reduction over an axis the value does not have.
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct feature : axis<> {};
struct hidden : axis<> {};
struct model {
  constexpr auto operator()(source in) const { return results(named("y", sum<hidden>(in.input<batch, feature>("x")))); }
};
constexpr auto& graph = traced<model>::graph;
