// A merge of its own on the prefix tree: the children's states in a learned, gated sum, normed. The prefixes feed a Transformer layer.
#include "variants/variant.hpp"

namespace {

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct merges : axis<> {};
struct vocab : axis<11> {};
struct feature : axis<12> {};
struct heads : axis<2> {};
struct group : axis<1> {};
struct dim : axis<4> {};

struct model {
  nn::embedding<vocab, feature> embed{};
  nn::linear<feature, feature> left_gate{}, right_gate{};
  nn::rms_norm<feature> merge_norm{}, attention_norm{};
  nn::attention_projections<feature, heads, group, dim> attention{};
  nn::linear<feature, vocab> head{};
  DYADIC_FIELDS(embed, left_gate, right_gate, merge_norm, attention_norm, attention, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<vocab, batch, seq>("tokens"), targets = in.index<vocab, batch, seq>("targets");
    auto x = embed(tokens);
    auto state = carry(tree<seq, merges>(x), x);
    auto g = sigmoid(left_gate(left(state)) + right_gate(right(state)));
    write(state, merge_norm(g * left(state) + (1 - g) * right(state)));
    auto h = scan<seq>(x, prefixes(state), [&](auto x_t, auto prefix) {
      auto memory = remember<seq>(x_t);
      auto u = attention_norm(x_t + prefix);
      auto kv = attention.key_value(u, position<seq>(x_t));
      append(memory, kv);
      return x_t + attention.out(attend(memory, attention.query(u, position<seq>(x_t)), kv));
    });
    return language_model<vocab>(head(h), targets);
  }
};

static_assert(causal<model, seq>);
static_assert(cost<model>(batch{2}, seq{13}).flops > 0);

}  // namespace

TEST_CASE("variant: a gated tree merge") { test::check_variant<model, seq>(bind(batch{2}, seq{13})); }
