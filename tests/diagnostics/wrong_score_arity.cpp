// error: attend: a score is called with the raw score and the pair
// A mask that takes the score alone.
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<> {};
struct model {
  constexpr auto operator()(source in) const {
    return results(named("y", scan<seq>(in.input<batch, seq, feature>("x"), [](auto x) {
      auto memory = remember<seq>(x);
      append(memory, pair<feature>(x, x));
      return attend(memory, x, pair<feature>(x, x), [](auto s) { return s * 2; });
    })));
  }
};
constexpr auto& graph = traced<model>::graph;
