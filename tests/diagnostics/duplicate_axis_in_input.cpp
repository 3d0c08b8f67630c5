// error: an input names an axis twice
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct model {
  constexpr auto operator()(source in) const { return results(named("y", in.input<batch, batch>("x"))); }
};
constexpr auto& graph = traced<model>::graph;
