// Decoding of systems that feed a state back.
#include "decode/decoding.hpp"
#include "dyadic/models/full_bandwidth.hpp"
#include "dyadic/models/gru_memory.hpp"
#include "dyadic/models/latent_recurrent.hpp"
#include "dyadic/models/recurrent_transformer.hpp"

namespace {

constexpr dyadic::models::gru_memory_options chunks{.scope = dyadic::models::memory_scope::chunked, .chunk = 64};

int const registered = [] {
  using namespace dyadic::models;
  decoding::entry<recurrent_transformer<decoding::size>>("Recurrent Transformer");
  decoding::entry<latent_recurrent<decoding::size>>("Latent Recurrent");
  decoding::entry<full_bandwidth<decoding::size>>("Full-Bandwidth");
  decoding::entry<gru_memory<decoding::size, chunks>>("GRU memory by chunks");
  return 0;
}();

}  // namespace
