// Learn here: a recurrence with no parallel plan, and a solver for it. The stack's top state feeds the next token's input, so tokens have
// to wait for each other. Jacobi passes take that state from the pass before instead: every pass is parallel, and as many passes as tokens
// give exactly the sequential result. A solver changes the function, so it is part of the program's type.
#include <cmath>
#include <cstdio>
#include <vector>

#include <dyadic/dyadic.hpp>

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct letter : axis<4> {};
struct feature : axis<8> {};
struct dim : axis<8> {};
struct layer : axis<2> {};

struct block {
  nn::linear<feature, dim> query{}, key{}, value{};
  nn::linear<dim, feature> out{};
  DYADIC_FIELDS(query, key, value, out)
  constexpr auto operator()(auto x) const {
    auto memory = remember<seq>(x);
    auto kv = pair<dim>(key(x), value(x));
    append(memory, kv);
    return x + tanh(out(attend(memory, query(x), kv)));
  }
};

struct model {
  nn::embedding<letter, feature> embed{};
  stack<layer, block> layers{};
  nn::linear<feature, feature> feedback{};
  nn::linear<feature, letter> head{};
  DYADIC_FIELDS(embed, layers, feedback, head)

  constexpr auto operator()(source in) const {
    auto tokens = in.index<letter, batch, seq>("tokens");
    auto h = scan<seq>(embed(tokens), [&](auto e) {
      auto state = carry<seq>(zeros_like(e));
      auto top = layers(read_or(state, e, e + 0.3 * tanh(feedback(read(state)))));   // at the first token: e alone
      write(state, top);
      return top;
    });
    return results(named("logits", head(h)));
  }
};

static_assert(causal<model, seq>);
static_assert(sequential<model, seq>);            // as it is written: one token after another
static_assert(parallel<model, seq, jacobi<>>);    // in passes: no loop over tokens

int main() {
  constexpr std::int64_t length = 8;
  std::vector<int> const tokens{0, 1, 2, 3, 2, 1, 0, 3};
  auto const w = init<model>(seed{1});

  bound<evaluation<model>> one_by_one(bind(batch{1}, seq{length}));
  one_by_one.bind_parameters(w.shared());
  one_by_one.set("tokens", std::span(tokens));
  one_by_one.run();
  auto const exact_logits = one_by_one.output("logits");

  for (std::int64_t passes = 1; passes <= length; ++passes) {
    bound<evaluation<model, jacobi<>>> run(bind(batch{1}, seq{length}, pass{passes}));   // the solver's axis: pass
    run.bind_parameters(w.shared());
    run.set("tokens", std::span(tokens));
    run.run();
    auto const every_pass = run.output("logits");   // [pass, batch, seq, letter]
    float const* const last = every_pass.data() + every_pass.size() - exact_logits.size();
    float worst = 0;
    for (std::size_t i = 0; i < exact_logits.size(); ++i) worst = std::fmax(worst, std::fabs(last[i] - exact_logits[i]));
    std::printf("%lld passes: largest difference to the sequential logits %.1e\n", static_cast<long long>(passes),
                static_cast<double>(worst));
    if (passes == length && worst > 1e-5f) return 1;
  }
  // Trained with them: train::trainer<model, float, jacobi<>>, with pass{K} among its extents.
}
