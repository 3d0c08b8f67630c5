// The language model that the others are compared with: Qwen3's, with a window, packed documents and given positions as options.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/models/transformer_block.hpp"
#include "dyadic/nn/embedding.hpp"

namespace dyadic::models {

template <config C> struct transformer {
  static_assert(check_config<C>());
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, transformer_block<C>> layers;
  nn::rms_norm<feature> norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;          // not read when tied
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head)
  static constexpr auto extents() { return block_extents<C>(layer{C.layers}); }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto h = scan<seq>(embed_tokens(tokens_of(in)), [&](auto x) { return norm(layers.with(x, context.at(x))); });
    if constexpr (C.tied) return predictions(in, embed_tokens.logits(h));
    else return predictions(in, lm_head(h));
  }
};

}  // namespace dyadic::models
