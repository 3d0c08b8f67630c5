// error: pointwise operands of different element types: convert one with cast<T>(x)
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct model {
  constexpr auto operator()(source in) const { return results(named("y", in.input<batch>("x") + in.integers<batch>("n"))); }
};
constexpr auto& graph = traced<model>::graph;
