// error: write: the carry's initial value has another element type
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct model {
  constexpr auto operator()(source in) const {
    return results(named("y", scan<seq>(in.input<batch, seq>("x"), [](auto x) {
      auto seen = carry<seq>(zeros<batch>(x));
      write(seen, 0 < x);
      return x;
    })));
  }
};
constexpr auto& graph = traced<model>::graph;
