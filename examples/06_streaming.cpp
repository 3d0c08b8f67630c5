// Learn here: one token at a time. A decoder follows from the model's definition: nothing in the model speaks of caches. Its state can be
// saved, restored and forked; what it returns is what the whole sequence at once would give.
#include <cmath>
#include <cstdio>
#include <vector>

#include <dyadic/decode/decoder.hpp>
#include <dyadic/decode/sampling.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/models/recurrent_transformer.hpp>

using namespace dyadic;
using models::batch, models::seq;

using model = models::recurrent_transformer<models::config{.vocabulary = 10, .width = 16, .layers = 2, .heads = 2, .hidden = 32}>;

// Draws a dozen tokens, each from the logits the one before gave.
template <class Decoder> std::vector<std::int64_t> continue_from(Decoder& decoder, decode::sampler choose, char const* what) {
  std::vector<std::int64_t> said;
  std::printf("%-11s", what);
  for (int i = 0; i < 12; ++i) {
    said.push_back(choose(decoder.logits()));
    std::printf(" %lld", static_cast<long long>(said.back()));
    decoder.step(said.back());
  }
  std::printf("   (position %lld)\n", static_cast<long long>(decoder.position()));
  return said;
}

int main() {
  auto const w = init<model>(seed{4});
  std::vector<int> const prompt{3, 1, 4, 1, 5, 9, 2, 6};

  decode::decoder decoder(w, exec::serial{}, batch{1}, decode::capacity{64});
  auto const streamed = decoder.prefill(std::span(prompt));   // logits after the last token; step(token) feeds one more

  // The whole sequence at once, for comparison.
  bound<evaluation<model>> whole(bind(batch{1}, seq{static_cast<std::int64_t>(prompt.size())}));
  whole.bind_parameters(w.shared());
  whole.set("tokens", std::span(prompt));
  whole.run();
  auto const all = whole.output("logits");
  float worst = 0;
  float const* const last = all.data() + all.size() - streamed.size();
  for (std::size_t i = 0; i < streamed.size(); ++i) worst = std::fmax(worst, std::fabs(streamed[i] - last[i]));
  std::printf("after the prompt, streamed and at once differ by %.1e; the state has %lld numbers\n", static_cast<double>(worst),
              static_cast<long long>(decoder.state_size()));

  // Untrained, so what it says means nothing. A fork goes its own way; a restored state says the same again.
  decode::sampler const choose({.temperature = 0.9, .top_k = 5, .top_p = 0.95}, 1), other({.temperature = 0.9}, 2);
  auto const saved = decoder.save();
  auto fork = decoder.fork();
  auto const first = continue_from(decoder, choose, "continued:");
  continue_from(fork, other, "forked:");
  decoder.restore(saved);
  auto const second = continue_from(decoder, choose, "restored:");
  return worst < 1e-5f && first == second ? 0 : 1;
}
