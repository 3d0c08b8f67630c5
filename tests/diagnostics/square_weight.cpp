// error: a square weight has two axes
// A square weight names its axis twice; linear<feature, feature>, or parameter<prime<feature>, feature>, says which is which.
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct feature : axis<> {};
struct model {
  parameter<feature, feature> weight;
  DYADIC_FIELDS(weight)
  constexpr auto operator()(source in) const {
    auto x = in.input<batch, feature>("x");
    return results(named("y", contract<feature>(x, weight(x))));
  }
};
constexpr auto& graph = traced<model>::graph;
