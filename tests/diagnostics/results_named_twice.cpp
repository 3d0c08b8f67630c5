// error: output_named_twice
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct doubled {
  constexpr auto operator()(source in) const {
    auto x = in.input<batch>("x");
    return results(named("y", x * 2), named("y", x * 3));
  }
};
constexpr auto& graph = traced<doubled>::graph;
