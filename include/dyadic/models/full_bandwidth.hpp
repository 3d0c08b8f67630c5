// The Full-bandwidth Transformer: the stack's top state at one token is the input of the next, fused with the token's embedding.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/models/transformer_block.hpp"
#include "dyadic/nn/embedding.hpp"

namespace dyadic::models {

/// gate_product: (W_U h) * sigmoid(W_G norm(e)), the state is the value and the token only its gate; concat_projection: W [h; norm(e)];
/// linear_addition: e + W_U h.
enum class fusion { gate_product, concat_projection, linear_addition };

struct feedback_options {
  fusion fuse = fusion::gate_product;
  int prefix = 1;                ///< positions that keep the plain embedding; the first always does
};

/// The two halves of [h; e].
struct state_and_token : axis<2> {};

template <config C, feedback_options F> struct feedback {
  nn::linear<feature, feature> up_proj, gate_proj;
  nn::linear<axes<state_and_token, feature>, feature> joint_proj;
  nn::rms_norm<feature> norm{.eps = C.eps};          // in front of the stack, and of the gate
  DYADIC_FIELDS(up_proj, gate_proj, joint_proj, norm)

  /// The stack's input from the state h of the token before and this token's embedding e.
  template <expression H, expression Embedded> constexpr auto operator()(H h, Embedded e) const {
    if constexpr (F.fuse == fusion::gate_product) return up_proj(h) * sigmoid(gate_proj(norm(e)));
    else if constexpr (F.fuse == fusion::linear_addition) return e + up_proj(h);
    else {
      auto w = joint_proj.weight(e);
      auto part = [&](auto x, int k) { return contract<prime<feature>>(rename<feature, prime<feature>>(x), pick<state_and_token>(w, k)); };
      return part(h, 0) + part(norm(e), 1);
    }
  }
};

template <config C, feedback_options F = feedback_options{}> struct full_bandwidth {
  static_assert(check_config<C>());
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, transformer_block<C>> layers;
  nn::rms_norm<feature> norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;          // not read when tied
  feedback<C, F> fuse;
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head, (fuse, "feedback"))
  static constexpr auto extents() { return block_extents<C>(layer{C.layers}); }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto h = scan<seq>(embed_tokens(tokens_of(in)), [&](auto e) {
      auto state = carry<seq>(zeros_like(e));
      auto fused = read_or(state, e, fuse(read(state), e));
      auto u = [&] {
        if constexpr (F.prefix > 1) return select(position<seq>(e) < F.prefix, e, fused);
        else return fused;
      }();
      auto top = norm(layers.with(fuse.norm(u), context.at(e)));
      write(state, top);
      return top;
    });
    if constexpr (C.tied) return predictions(in, embed_tokens.logits(h));
    else return predictions(in, lm_head(h));
  }
};

}  // namespace dyadic::models
