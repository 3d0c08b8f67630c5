// error: write: the carry's initial value lacks an axis of the written value
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<> {};
struct model {
  constexpr auto operator()(source in) const {
    return results(named("y", scan<seq>(in.input<batch, seq, feature>("x"), [](auto x) {
      auto h = carry<seq>(zeros<batch>(x));   // one number a row, but a vector is written
      write(h, x);
      return x;
    })));
  }
};
constexpr auto& graph = traced<model>::graph;
