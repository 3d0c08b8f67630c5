// A stack whose top state is fused into the next token's input, each of whose layers holds a gated recurrent unit beside its attention:
// two kinds of state along tokens. Trained by jacobi passes, which take the stack's state from the pass before and keep the layers' own.
#include "variants/variant.hpp"

namespace {

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct layer : axis<2> {};
struct vocab : axis<11> {};
struct feature : axis<12> {};
struct heads : axis<3> {};
struct group : axis<1> {};
struct dim : axis<4> {};

struct block {
  nn::rms_norm<feature> norm{};
  nn::attention_projections<feature, heads, group, dim> attention{};
  nn::gru_cell<feature, feature> gru{};
  DYADIC_FIELDS(norm, attention, gru)

  template <class X> constexpr auto operator()(X x) const {
    auto memory = remember<seq>(x);
    auto u = norm(x);
    auto kv = attention.key_value(u);
    append(memory, kv);
    auto y = x + attention.out(attend(memory, attention.query(u), kv));
    auto state = carry<seq>(zeros_like(x));
    auto next = gru(y, read(state));
    write(state, next);
    return y + next;
  }
};

struct model {
  nn::embedding<vocab, feature> embed{};
  stack<layer, block> layers{};
  nn::rms_norm<feature> norm{};
  nn::linear<feature, feature> feedback{};
  nn::linear<feature, vocab> head{};
  DYADIC_FIELDS(embed, layers, norm, feedback, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<vocab, batch, seq>("tokens"), targets = in.index<vocab, batch, seq>("targets");
    auto h = scan<seq>(embed(tokens), [&](auto e) {
      auto state = carry<seq>(zeros_like(e));
      auto top = norm(layers(read_or(state, e, e + tanh(feedback(read(state))))));
      write(state, top);
      return top;
    });
    return language_model<vocab>(head(h), targets);
  }
};

static_assert(causal<model, seq>);
static_assert(cost<model>(batch{2}, seq{7}).flops > 0);
static_assert(sequential<model, seq>);

}  // namespace

TEST_CASE("variant: a GRU scan inside a feedback stack") {
  auto const sizes = bind(batch{2}, seq{7});
  test::check_variant<model, seq>(sizes);
  test::check_passes<model, seq>(sizes, 7);            // as many passes as tokens: the sequential evaluation
}
