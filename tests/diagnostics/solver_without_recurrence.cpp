// error: a solver needs a recurrence along its axis
// Nothing is fed back along the sequence: there is nothing to solve.
#include "dyadic/core.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<> {};
struct attentive {
  constexpr auto operator()(source in) const {
    return results(named("y", scan<seq>(in.input<batch, seq, feature>("x"), [](auto x) {
      auto memory = remember<seq>(x);
      append(memory, pair<feature>(x, x));
      return attend(memory, x, pair<feature>(x, x));
    })));
  }
};
constexpr auto& solved = evaluation<attentive, interleaved<>>::graph;
