// Grouped heads and both pairings of rotary positions, streamed over 301 positions (pitfall 32: they look right at position 0).
#include <doctest/doctest.h>

#include "decode/stream.hpp"
#include "dyadic/models/transformer.hpp"

namespace {

using namespace dyadic;
using namespace dyadic::models;

constexpr config of_key_heads(int n) {
  return {.vocabulary = 19, .width = 16, .layers = 1, .heads = 8, .kv_heads = n, .head_dim = 4, .hidden = 24};
}

/// One attention over interleaved pairs, part of the head turned.
template <config C> struct interleaved_attention {
  nn::embedding<vocab, feature> embed;
  nn::linear<feature, axes<heads, group, head_dim>> q;
  nn::linear<feature, axes<heads, head_dim>> k, v;
  nn::linear<axes<heads, group, head_dim>, feature> o;
  DYADIC_FIELDS(embed, q, k, v, o)
  static constexpr auto extents() { return attention_extents<C>(); }

  constexpr auto operator()(source in) const {
    auto h = scan<seq>(embed(tokens_of(in)), [&](auto x) {
      auto turned = [&](auto y) { return rope<head_dim, interleaved_pairs>(y, position<seq>(x), {.rotary = 2}); };
      auto memory = remember<seq>(x);
      auto kv = pair<head_dim>(turned(k(x)), v(x));
      append(memory, kv);
      return x + o(attend(memory, turned(q(x)) * rsqrt(extent<head_dim>(x)), kv));
    });
    return predictions(in, embed.logits(h));
  }
};

}  // namespace

TEST_CASE("stream: 301 positions, groups of 1, 2 and 8") {
  SUBCASE("1") { test::check_steps(traced<transformer<of_key_heads(8)>>::graph, 1, 301); }
  SUBCASE("2") { test::check_steps(traced<transformer<of_key_heads(4)>>::graph, 1, 301); }
  SUBCASE("8") { test::check_steps(traced<transformer<of_key_heads(1)>>::graph, 1, 301); }
  SUBCASE("interleaved pairs, half of the head") { test::check_steps(traced<interleaved_attention<of_key_heads(4)>>::graph, 1, 301); }
}
