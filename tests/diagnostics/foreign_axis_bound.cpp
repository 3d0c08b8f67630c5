// error: bind: the model has no such axis
#include "dyadic/cpu.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct doubled {
  constexpr auto operator()(source in) const { return results(named("y", in.input<batch>("x") * 2)); }
};
bound<evaluation<doubled>> program(bind(batch{2}, seq{3}));
