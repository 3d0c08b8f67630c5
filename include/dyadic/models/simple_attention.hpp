// The Simple Attention Network: a language model of attention alone. Options: the residual's gate, the sandwich norm, the feed-forward
// layer of the control arm, the z-loss.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/context.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/nn/attention_projections.hpp"
#include "dyadic/nn/embedding.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/swiglu.hpp"

namespace dyadic::models {

/// gated: x + sigmoid(g) o, g = 0 at first; rezero: x + g o; standard: x + o.
enum class residual { gated, rezero, standard };

struct simple_attention_options {
  residual path = residual::gated;
  bool sandwich = false;         ///< a norm after each sublayer, before its gate
  bool feed_forward = false;     ///< the control arm: a gated feed-forward layer after the attention
  double z_loss = 1e-4;          ///< weight of logsumexp(logits)^2 in the loss
};

template <config C, simple_attention_options S> struct simple_attention_block {
  nn::zero_centred_rms_norm<feature> input_layernorm{.eps = C.eps}, attention_norm{.eps = C.eps};
  nn::attention_projections<feature, heads, group, head_dim, nn::zero_centred_rms_norm> self_attn{
      .q_norm = {.eps = C.eps}, .k_norm = {.eps = C.eps}, .theta = C.theta};
  parameter<> attn_gate{.init = constant_init(0)};
  nn::zero_centred_rms_norm<feature> post_attention_layernorm{.eps = C.eps}, mlp_norm{.eps = C.eps};
  nn::swiglu<feature, hidden> mlp;
  parameter<> mlp_gate{.init = constant_init(0)};
  DYADIC_FIELDS(input_layernorm, attention_norm, self_attn, attn_gate, post_attention_layernorm, mlp_norm, mlp, mlp_gate)

  template <expression X, class Context> constexpr auto operator()(X x, Context context) const {
    auto memory = remember<seq>(x);
    auto u = input_layernorm(x);
    auto kv = self_attn.key_value(u, context.position);
    append(memory, kv);
    auto y = added(x, self_attn.out(attend(memory, self_attn.query(u, context.position), kv, context)), attention_norm, attn_gate);
    if constexpr (S.feed_forward) return added(y, mlp(post_attention_layernorm(y)), mlp_norm, mlp_gate);
    else return y;
  }

 private:
  /// x and a sublayer's output o, by the configured path.
  template <expression X, expression O, class Norm> static constexpr auto added(X x, O o, Norm const& norm, parameter<> const& gate) {
    auto y = [&] {
      if constexpr (S.sandwich) return norm(o);
      else return o;
    }();
    if constexpr (S.path == residual::gated) return x + sigmoid(gate(x)) * y;
    else if constexpr (S.path == residual::rezero) return x + gate(x) * y;
    else return x + y;
  }
};

/// Embeddings are scaled by sqrt(width); the readout is the embedding.
template <config C, simple_attention_options S = simple_attention_options{}> struct simple_attention {
  static_assert(check_config<C>());
  static_assert(C.tied, "simple_attention: its readout is the embedding; set tied = true");
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, simple_attention_block<C, S>> layers;
  nn::zero_centred_rms_norm<feature> norm{.eps = C.eps};
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"))

  static constexpr auto extents() {
    if constexpr (S.feed_forward) return block_extents<C>(layer{C.layers});
    else return attention_extents<C>(layer{C.layers});
  }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto e = embed_tokens(tokens_of(in));
    auto h = scan<seq>(e * sqrt(extent<feature>(e)), [&](auto x) { return norm(layers.with(x, context.at(x))); });
    auto logits = embed_tokens.logits(h);
    auto z = logsumexp<vocab>(logits);
    auto loss = cross_entropy<vocab>(logits, targets_of(in)) + S.z_loss * z * z;
    return results(named("logits", logits), named("loss", loss));
  }
};

}  // namespace dyadic::models
