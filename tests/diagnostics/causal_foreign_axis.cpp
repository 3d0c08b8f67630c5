// error: causal: the model has no such axis
// A proof along an axis that the model lacks proves nothing.
#include "dyadic/core.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct time : axis<> {};
struct accumulated {
  constexpr auto operator()(source in) const { return results(named("y", cumulative_sum<seq>(in.input<batch, seq>("x")))); }
};
static_assert(causal<accumulated, struct time>);
