// A Recurrent Transformer whose values are mixed along depth: keys and values of a layer's own outputs at earlier tokens, and a second
// memory of every second layer at the same token.
#include "variants/variant.hpp"

namespace {

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct layer : axis<4> {};
struct vocab : axis<11> {};
struct feature : axis<12> {};
struct hidden : axis<20> {};
struct heads : axis<2> {};
struct group : axis<2> {};
struct dim : axis<4> {};

struct block {
  nn::rms_norm<feature> attention_norm{}, mlp_norm{};
  nn::attention_projections<feature, heads, group, dim> attention{};
  nn::swiglu<feature, hidden> mlp{};
  DYADIC_FIELDS(attention_norm, mlp_norm, attention, mlp)

  template <class X, class Depth> constexpr auto operator()(X x, Depth depth) const {
    auto memory = remember<seq>(x);
    auto at = position<seq>(x);
    auto kv = [&](auto y) { return attention.key_value(attention_norm(y), at); };
    auto q = attention.query(attention_norm(x), at);
    auto own = kv(x);
    auto mixed = pair<dim>(own.key, attend(depth, mean<group>(q), own));
    append(depth, mixed, position<layer>(x) % 2 == 0);
    auto u = x + attention.out(attend(memory, q, mixed));
    auto z = u + mlp(mlp_norm(u));
    append(memory, kv(z));
    return z;
  }
};

struct model {
  nn::embedding<vocab, feature> embed{};
  stack<layer, block> layers{};
  nn::rms_norm<feature> norm{};
  nn::linear<feature, vocab> head{};
  DYADIC_FIELDS(embed, layers, norm, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<vocab, batch, seq>("tokens"), targets = in.index<vocab, batch, seq>("targets");
    auto h = scan<seq>(embed(tokens), [&](auto x) { return norm(layers.with(x, remember<layer>(x))); });
    return language_model<vocab>(head(h), targets);
  }
};

static_assert(causal<model, seq>);
static_assert(cost<model>(batch{2}, seq{9}).flops > 0);
static_assert(tiled<model, seq> && !parallel<model, seq>);

}  // namespace

TEST_CASE("variant: Recurrent Transformer with a depth memory") { test::check_variant<model, seq>(bind(batch{2}, seq{9})); }
