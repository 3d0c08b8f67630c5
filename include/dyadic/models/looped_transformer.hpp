// The looped Transformer: the stack is executed several times with the same weights, its output the input of the next execution.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/models/transformer_block.hpp"
#include "dyadic/nn/embedding.hpp"

namespace dyadic::models {

struct loop_options {
  int loops = 2;                 ///< how often the stack is executed
};

/// Keys and values are kept per execution: layer l of loop r is execution r * layers + l.
template <config C, loop_options O = loop_options{}> struct looped_transformer {
  static_assert(check_config<C>());
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, transformer_block<C>> layers;
  nn::rms_norm<feature> norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;          // not read when tied
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head)
  static constexpr auto extents() { return block_extents<C>(layer{C.layers}, executed{C.layers * O.loops}); }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto h = scan<seq>(embed_tokens(tokens_of(in)), [&](auto x) {
      auto here = context.at(x);
      return norm(repeat<executed, layer>(x, [&](auto y) { return layers.block(y, here); }));
    });
    if constexpr (C.tied) return predictions(in, embed_tokens.logits(h));
    else return predictions(in, lm_head(h));
  }
};

}  // namespace dyadic::models
