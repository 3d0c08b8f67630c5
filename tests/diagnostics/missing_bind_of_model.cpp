// error: bind: an axis of the model is not bound
#include "dyadic/cpu.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct doubled {
  constexpr auto operator()(source in) const { return results(named("y", in.input<batch, seq>("x") * 2)); }
};
bound<evaluation<doubled>> program(bind(batch{2}));
