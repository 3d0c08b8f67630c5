// Attention whose score falls with the distance at a learned rate per head, over a window of a memory that is written every second token.
#include "variants/variant.hpp"

namespace {

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct layer : axis<3> {};
struct vocab : axis<11> {};
struct feature : axis<12> {};
struct hidden : axis<16> {};
struct heads : axis<2> {};
struct group : axis<2> {};
struct dim : axis<4> {};

struct block {
  nn::layer_norm_with_bias<feature> attention_norm{}, mlp_norm{};
  nn::attention_projections<feature, heads, group, dim> attention{};
  nn::linear<feature, axes<heads, group>> rate{};
  parameter<heads, group> steepness{.init = constant_init(0.1)};
  nn::gelu_mlp<feature, hidden> mlp{};
  DYADIC_FIELDS(attention_norm, mlp_norm, attention, rate, steepness, mlp)

  template <class X> constexpr auto operator()(X x) const {
    auto memory = remember<seq>(x);
    auto u = attention_norm(x);
    auto kv = attention.key_value(u);
    append(memory, kv, position<seq>(x) % 2 == 0);
    auto penalty = softplus(rate(u) + steepness(u));
    auto a = attend(memory, attention.query(u), kv, [&](auto s, auto p) {
      return select(p.distance() < 6, s - penalty * p.distance(), never(s));
    });
    auto y = x + attention.out(a);
    return y + mlp(mlp_norm(y));
  }
};

struct model {
  nn::embedding<vocab, feature> embed{};
  stack<layer, block> layers{};
  nn::linear<feature, vocab> head{};
  DYADIC_FIELDS(embed, layers, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<vocab, batch, seq>("tokens"), targets = in.index<vocab, batch, seq>("targets");
    auto h = scan<seq>(embed(tokens), [&](auto x) { return layers(x); });
    return language_model<vocab>(head(h), targets);
  }
};

static_assert(causal<model, seq>);
static_assert(cost<model>(batch{2}, seq{11}).flops > 0);
static_assert(parallel<model, seq>);

}  // namespace

TEST_CASE("variant: a learned distance penalty over a sparse memory") { test::check_variant<model, seq>(bind(batch{2}, seq{11})); }
