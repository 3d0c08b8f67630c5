// error: a whole-sequence value is used inside a scan over that sequence
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct model {
  constexpr auto operator()(source in) const {
    auto x = in.input<batch, seq>("x"), y = in.input<batch, seq>("y");
    return results(named("z", scan<seq>(x, [&](auto x_t) { return x_t * y; })));
  }
};
constexpr auto& graph = traced<model>::graph;
