// Learn here: a fair comparison, before anything runs. match_params finds the member of a family with as many parameters as your model;
// cost says what each will need. All of it at compile time, so a budget can be a static_assert.
#include <cstdio>

#include <dyadic/core.hpp>
#include <dyadic/models/full_bandwidth.hpp>
#include <dyadic/models/transformer.hpp>

using namespace dyadic;
using models::batch, models::seq;

constexpr models::config size{.vocabulary = 256, .width = 128, .layers = 4, .heads = 4, .hidden = 384};
template <auto C> using full_bandwidth_family = models::full_bandwidth<C>;
using mine = models::full_bandwidth<size>;

// What varies is a struct: the n-th configuration from a first one. vary_layers and vary_width<Step> exist; this is one of its own.
struct vary_hidden {
  template <class Config> static constexpr Config apply(Config c, int n) { c.hidden = 16 * n; return c; }
};
using deepest = match_params<models::transformer, mine>;                // the deepest Transformer that is not larger
using widest = match_params<models::transformer, mine, vary_hidden>;    // the one with the widest feed-forward layers

static_assert(parameter_count<deepest> <= parameter_count<mine> && parameter_count<widest> <= parameter_count<mine>);
static_assert(cost<mine>(batch{1}, seq{256}).peak_bytes < 64 << 20);   // does not compile over 64 MiB

template <class Model> void show(char const* name) {
  constexpr models::config c = configuration_of<Model>::value;
  constexpr program_cost whole = cost<Model>(batch{1}, seq{256});
  std::printf("%-28s %d layers, hidden %d: %8lld parameters, %.0f MFLOP, %.1f MiB at most, %.0f bytes kept a token, %.0f kernels\n", name,
              c.layers, c.hidden, static_cast<long long>(parameter_count<Model>), whole.flops / 1e6,
              static_cast<double>(whole.peak_bytes) / (1 << 20), whole.cache_bytes_per_token, whole.kernels);
}

int main() {
  std::printf("256 tokens:\n");
  show<mine>("Full-bandwidth Transformer");
  show<deepest>("deepest Transformer");
  show<widest>("widest Transformer");

  // The same question for a training step, and for a solver's.
  constexpr auto step = cost<training<widest>>(batch{8}, seq{256});
  constexpr auto passes = cost<training<mine, jacobi<>>>(batch{8}, seq{256}, pass{4});
  std::printf("a training step of 8 x 256 tokens: %.1f GFLOP for the Transformer, %.1f in 4 Jacobi passes\n",
              step.flops / 1e9, passes.flops / 1e9);
}
