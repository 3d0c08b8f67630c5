// The Recurrent Transformer: a layer attends to keys and values of its own outputs at earlier positions. `modern` is the Qwen3 block made
// recurrent; `official` follows the released code (layer norms without bias, full-width norms of query and key, ALiBi, a GELU layer).
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/attention.hpp"
#include "dyadic/models/context.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/nn/embedding.hpp"
#include "dyadic/nn/gelu_mlp.hpp"
#include "dyadic/nn/layer_norm.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/swiglu.hpp"

namespace dyadic::models {

enum class recurrent_variant { modern, official };

struct recurrent_options {
  recurrent_variant variant = recurrent_variant::modern;
  double residual_scale = 1;     ///< of both sublayers; 1 / sqrt(layers) keeps deep stacks stable
};

template <config C, recurrent_options R> struct recurrent_block {
  nn::rms_norm<feature> input_layernorm{.eps = C.eps}, post_attention_layernorm{.eps = C.eps};
  attention self_attn = attention_of<C>();
  nn::swiglu<feature, hidden> mlp;
  DYADIC_FIELDS(input_layernorm, self_attn, post_attention_layernorm, mlp)

  template <expression X, class Context> constexpr auto operator()(X x, Context context) const {
    auto memory = remember<seq>(x);
    auto kv = [&](auto y) { return self_attn.key_value(input_layernorm(y), context.position); };
    auto a = attend(memory, self_attn.query(input_layernorm(x), context.position), kv(x), context);   // earlier pairs, and a temporary one
    auto u = x + R.residual_scale * self_attn.out(a);
    auto z = u + R.residual_scale * mlp(post_attention_layernorm(u));
    append(memory, kv(z));                                                                           // kv(x) here, and it is a Transformer
    return z;
  }
};

/// The attention of the released code: square projections with a layer norm over the full width of query and key; no rotation.
template <config C> struct full_width_projections {
  nn::linear<feature, feature> q_proj, k_proj;
  nn::linear<feature, axes<heads, head_dim>> v_proj;
  nn::linear<axes<heads, head_dim>, feature> o_proj;
  nn::layer_norm<feature> q_norm{.eps = C.eps}, k_norm{.eps = C.eps};
  DYADIC_FIELDS(q_proj, k_proj, v_proj, o_proj, q_norm, k_norm)

  template <expression U> constexpr auto query(U u) const {
    return split<feature, heads, head_dim>(q_norm(q_proj(u))) * rsqrt(extent<head_dim>(u));
  }
  template <expression U> constexpr auto key_value(U u) const {
    return pair<head_dim>(split<feature, heads, head_dim>(k_norm(k_proj(u))), v_proj(u));
  }
  template <expression A> constexpr auto out(A a) const { return o_proj(a); }
};

/// Attention with linear biases (Press et al. 2022): head h of H lowers a score by 2^(-8 (h + 1) / H) per position.
template <config C> struct linear_biases {
  template <class S, class P> constexpr auto operator()(S score, P pair) const {
    constexpr double log2_step = -8.0 / C.heads, ln2 = 0.69314718055994530942;
    auto slopes = exp((cast<f32>(iota<heads>(score)) + 1) * (log2_step * ln2));
    return score - slopes * cast<f32>(pair.distance());
  }
};

template <config C, recurrent_options R> struct official_recurrent_block {
  nn::layer_norm<feature> input_layernorm{.eps = C.eps}, post_attention_layernorm{.eps = C.eps};
  full_width_projections<C> self_attn;
  nn::gelu_mlp<feature, hidden> mlp;
  DYADIC_FIELDS(input_layernorm, self_attn, post_attention_layernorm, mlp)

  template <expression X, class Context> constexpr auto operator()(X x, Context context) const {
    auto memory = remember<seq>(x);
    auto kv = [&](auto y) { return self_attn.key_value(input_layernorm(y)); };
    auto biased = [&](auto score, auto pair) { return context(linear_biases<C>{}(score, pair), pair); };
    auto a = attend(memory, self_attn.query(input_layernorm(x)), kv(x), biased);
    auto u = x + R.residual_scale * self_attn.out(a);
    auto z = u + R.residual_scale * mlp(post_attention_layernorm(u));
    append(memory, kv(z));
    return z;
  }
};

template <config C, recurrent_options R = recurrent_options{}> struct recurrent_transformer {
  static_assert(check_config<C>());
  static constexpr bool official = R.variant == recurrent_variant::official;
  static_assert(!official || (C.key_heads() == C.heads && C.heads * C.dim() == C.width),
                "recurrent_transformer: the official form has one key head per query head, and heads * head_dim == width");
  using block = std::conditional_t<official, official_recurrent_block<C, R>, recurrent_block<C, R>>;
  using norm_type = std::conditional_t<official, nn::layer_norm<feature>, nn::rms_norm<feature>>;

  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, block> layers;
  norm_type norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;          // not read when tied
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head)

  static constexpr auto extents() {
    if constexpr (official) {
      return bind(vocab{C.vocabulary}, feature{C.width}, hidden{C.hidden}, heads{C.heads}, head_dim{C.dim()}, layer{C.layers});
    } else return block_extents<C>(layer{C.layers});
  }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto h = scan<seq>(embed_tokens(tokens_of(in)), [&](auto x) { return norm(layers.with(x, context.at(x))); });
    if constexpr (C.tied) return predictions(in, embed_tokens.logits(h));
    else return predictions(in, lm_head(h));
  }
};

}  // namespace dyadic::models
