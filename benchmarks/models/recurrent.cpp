// Layers that feed something back: the Recurrent Transformer's, an LSTM, a GRU.
#include "models/layers.hpp"

namespace {

using namespace layers;

constexpr config narrow{.vocabulary = 1, .width = 256, .heads = 8, .hidden = 688};
constexpr config wide{.vocabulary = 1, .width = 512, .heads = 8, .hidden = 1376};

int const registered = [] {
  entries<recurrent_layer<narrow>>("Recurrent Transformer D256 T256 B8 H8", batch{8}, seq{256});
  entries<recurrent_layer<wide>>("Recurrent Transformer D512 T1024 B2 H8", batch{2}, seq{1024});
  entries<lstm_layer<256>>("LSTM D256 T256 B8", batch{8}, seq{256});
  entries<gru_layer<256>>("GRU D256 T256 B8", batch{8}, seq{256});
  return 0;
}();

}  // namespace
