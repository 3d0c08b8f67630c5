// error: pointwise operands: one must have all the axes of the other
// A sum of values over different axes: broadcasting both ways is asked for by outer(x, y).
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct feature : axis<> {};
struct model {
  constexpr auto operator()(source in) const { return results(named("y", in.input<batch>("x") + in.input<feature>("y"))); }
};
constexpr auto& graph = traced<model>::graph;
