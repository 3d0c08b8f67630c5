// Learn here: a small language model of your own. Its fields are its parameters and give them names; scan walks along tokens, a stack
// repeats a block, a memory is what attention reads. Then: what the compiler knows of it, and how to run it.
#include <cstdio>
#include <vector>

#include <dyadic/dyadic.hpp>

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct letter : axis<4> {};
struct feature : axis<8> {};
struct dim : axis<8> {};
struct layer : axis<> {};   // its extent is a number in model::extents(): a deeper model has the same types

// Called at one position: x has no axis seq. Everything it knows of other positions comes through the memory.
struct block {
  nn::rms_norm<feature> norm{};
  nn::linear<feature, dim> query{}, key{}, value{};
  nn::linear<dim, feature> out{};
  nn::affine<feature, feature> mlp{};
  DYADIC_FIELDS(norm, query, key, value, (out, "o_proj"), mlp)   // names in files; leaving one out is an error

  constexpr auto operator()(auto x) const {
    auto memory = remember<seq>(x);
    auto u = norm(x);
    auto kv = pair<dim>(key(u), value(u));
    append(memory, kv);                            // what later positions see of this one
    auto y = x + out(attend(memory, query(u), kv));   // earlier pairs, and this position's own
    return y + tanh(mlp(y));
  }
};

struct model {
  nn::embedding<letter, feature> embed{};
  stack<layer, block> layers{};
  nn::linear<feature, letter> head{};
  DYADIC_FIELDS(embed, layers, head)
  static constexpr auto extents() { return bind(layer{2}); }   // what is fixed; batch and seq are bound when it runs

  constexpr auto operator()(source in) const {
    auto tokens = in.index<letter, batch, seq>("tokens"), targets = in.index<letter, batch, seq>("targets");
    auto h = scan<seq>(embed(tokens), [&](auto x) { return layers(x); });
    return language_model<letter>(head(h), targets);   // the results "logits" and "loss"
  }
};

// Found out by the compiler. `causal`: no result depends on later tokens. `parallel`: no loop over tokens is needed.
static_assert(parameter_count<model> == 2 * 4 * 8 + 2 * (8 + 4 * 8 * 8 + 8 * 8 + 8));
static_assert(causal<model, seq> && parallel<model, seq>);

int main() {
  auto const w = init<model>(seed{1});   // a handle: copies share the parameters
  w->each([](std::string const& name, leaf const&, float const*, std::int64_t n) {
    std::printf("%-24s %4lld numbers\n", name.c_str(), static_cast<long long>(n));
  });

  bound<evaluation<model>> run(bind(batch{1}, seq{6}));   // allocates; run() does not. Another batch or length: another one of these
  run.bind_parameters(w.shared());
  std::vector<int> const tokens{0, 1, 2, 3, 0, 1}, targets{1, 2, 3, 0, 1, -1};   // -1: not counted
  run.set("tokens", std::span(tokens));
  run.set("targets", std::span(targets));
  run.run();
  std::printf("loss of every token, untrained:");
  for (float const v : run.output("loss")) std::printf(" %.3f", v);
  std::printf("\n");
}
