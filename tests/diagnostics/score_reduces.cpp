// error: score_not_pointwise
// A score that sums over the features of a stored value.
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
      return attend(memory, x, pair<feature>(x, x), [x](auto s, auto p) { return s + sum<feature>(p.key(x)); });
    })));
  }
};
constexpr auto& graph = traced<model>::graph;
