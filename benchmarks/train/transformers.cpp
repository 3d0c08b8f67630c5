// Training steps of language models at one size: the Transformer and the Recurrent Transformer.
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer.hpp"
#include "train/steps.hpp"

namespace {

using namespace steps;

// The feed-forward layer does as much arithmetic as one of four times the width without a gate.
constexpr models::config size{.vocabulary = 512, .width = 256, .layers = 4, .heads = 8, .hidden = 688};

int const registered = [] {
  entry<models::transformer<size>>("Transformer C256 L4 T256 B8 V512", {}, batch{8}, seq{256});
  entry<models::recurrent_transformer<size>>("Recurrent Transformer C256 L4 T256 B8 V512", {}, batch{8}, seq{256});
  return 0;
}();

}  // namespace
