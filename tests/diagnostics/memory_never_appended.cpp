// error: memory_never_appended
#include "dyadic/graph/trace.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<> {};
struct forgetful {
  constexpr auto operator()(source in) const {
    return results(named("y", scan<seq>(in.input<batch, seq, feature>("x"), [](auto x) {
      auto memory = remember<seq>(x);
      return attend(memory, x, pair<feature>(x, x));
    })));
  }
};
constexpr auto& graph = traced<forgetful>::graph;
