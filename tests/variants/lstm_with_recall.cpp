// An LSTM whose gates also read what attention over its own past outputs recalls: a state and a memory on one cycle.
#include "variants/variant.hpp"

namespace {

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct symbols : axis<7> {};
struct units : axis<10> {};
struct dim : axis<6> {};
struct gates : axis<4> {};

struct model {
  nn::embedding<symbols, gates, units> input{};
  nn::linear<units, axes<gates, units>> recurrent{};
  nn::linear<dim, axes<gates, units>> recalled{};
  nn::linear<units, dim> query{}, key{}, value{};
  nn::affine<units, symbols> head{};
  DYADIC_FIELDS(input, recurrent, recalled, query, key, value, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<symbols, batch, seq>("tokens"), targets = in.index<symbols, batch, seq>("targets");
    auto h = scan<seq>(input(tokens), [&](auto x) {
      auto zero = zeros<batch, units>(x);
      auto output = carry<seq>(zero), cell = carry<seq>(zero);
      auto memory = remember<seq>(x);
      auto stored = [&](auto y) { return pair<dim>(key(y), value(y)); };
      auto before = read(output);
      auto recall = attend(memory, query(before), without_self(stored(before)));
      auto z = x + recurrent(before) + recalled(recall);
      auto gate = [&](int k) { return pick<gates>(z, k); };
      auto c = sigmoid(gate(2) + 1) * read(cell) + sigmoid(gate(0)) * tanh(gate(1));
      auto y = sigmoid(gate(3)) * tanh(c);
      write(cell, c);
      write(output, y);
      append(memory, stored(y));
      return y;
    });
    return language_model<symbols>(head(h), targets);
  }
};

static_assert(causal<model, seq>);
static_assert(cost<model>(batch{3}, seq{8}).flops > 0);
static_assert(sequential<model, seq>);

}  // namespace

TEST_CASE("variant: an LSTM that attends over its own past") { test::check_variant<model, seq>(bind(batch{3}, seq{8})); }
