// Learn here: what one line changes. A block that remembers its input is a Transformer's; one that remembers its output is a Recurrent
// Transformer's. The compiler finds a plan for each, and the plan can be read.
#include <cstdio>

#include <dyadic/core.hpp>
#include <dyadic/nn.hpp>
#include <dyadic/plan/print.hpp>

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct letter : axis<4> {};
struct feature : axis<8> {};
struct dim : axis<8> {};
struct layer : axis<2> {};

template <bool Recurrent> struct block {
  nn::linear<feature, dim> query{}, key{}, value{};
  nn::linear<dim, feature> out{};
  DYADIC_FIELDS(query, key, value, out)

  constexpr auto operator()(auto x) const {
    auto memory = remember<seq>(x);
    auto kv = [&](auto y) { return pair<dim>(key(y), value(y)); };
    auto z = x + tanh(out(attend(memory, query(x), kv(x))));
    if constexpr (Recurrent) append(memory, kv(z));   // later tokens see what this layer made of this one
    else append(memory, kv(x));                       // later tokens see what this layer was given
    return z;
  }
};

template <bool Recurrent> struct model {
  nn::embedding<letter, feature> embed{};
  stack<layer, block<Recurrent>> layers{};
  nn::linear<feature, letter> head{};
  DYADIC_FIELDS(embed, layers, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<letter, batch, seq>("tokens");
    return results(named("logits", head(scan<seq>(embed(tokens), [&](auto x) { return layers(x); }))));
  }
};
using transformer = model<false>;
using recurrent = model<true>;

// parallel: no loop over tokens. tiled: a loop over tokens, but what a token adds to later ones is added in tiles, many tokens at once.
static_assert(parallel<transformer, seq> && !parallel<recurrent, seq>);
static_assert(tiled<recurrent, seq>);
static_assert(causal<transformer, seq> && causal<recurrent, seq>);
static_assert(parameter_count<transformer> == parameter_count<recurrent>);

template <class Model> void show(char const* name) {
  using program = evaluation<Model>;
  std::printf("%s: %d operations\n%s\n", name, program::graph.size, to_table(program::graph, program::plan).c_str());
}

int main() {
  // Statements are operations with their numbers in the graph. Nobody wrote these loops: a loop is there because, along its axis, the
  // operations inside it read earlier results of themselves.
  show<transformer>("Transformer");
  show<recurrent>("Recurrent Transformer");

  // The graph itself. `12-`: operand 12, at earlier positions.
  std::printf("the Recurrent Transformer's graph:\n%s", to_table(evaluation<recurrent>::graph).c_str());
}
