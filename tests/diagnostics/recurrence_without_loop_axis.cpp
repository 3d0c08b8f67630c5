// error: a recurrence has no usable loop axis
// Every position reads its state from the position before and from the position after.
#include "dyadic/core.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct both_ways {
  constexpr auto operator()(source in) const {
    return results(named("y", scan<seq>(in.input<batch, seq>("x"), [](auto x) {
      auto h = carry<seq>(zeros<batch>(x));
      auto next = x + read(h);
      write(h, next + shift<seq>(next, -1));
      return next;
    })));
  }
};
constexpr auto& plan_of_both = evaluation<both_ways>::plan;
