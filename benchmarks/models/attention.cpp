// Causal attention and a Transformer's block.
#include "models/layers.hpp"

namespace {

using namespace layers;

constexpr config wide{.vocabulary = 1, .width = 512, .heads = 8}, block{.vocabulary = 1, .width = 256, .heads = 8, .hidden = 688};

int const registered = [] {
  entries<attention_core<wide>>("attention D512 T1024 B2 H8", batch{2}, seq{1024});
  entries<transformer_layer<block>>("Transformer block D256 T256 B8 H8", batch{8}, seq{256});
  return 0;
}();

}  // namespace
