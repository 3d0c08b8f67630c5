// error: decoding needs a causal model
// Decoding a model whose every position sees the whole sequence.
#include "dyadic/core.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
struct centred {
  constexpr auto operator()(source in) const {
    auto x = in.input<batch, seq>("x");
    return results(named("y", x - mean<seq>(x)));
  }
};
constexpr auto& decoding = streaming<centred, seq>::plan;
