// The Latent Recurrent Transformer: the hidden state that predicted the next token enters every layer at the next token, in the stream
// and, gated per head, in keys and values. `shared` is the Qwen3 block with one projection of the state for all layers; `layerwise` follows
// the released code: a projection per layer, value embeddings, parameter-free norms, a squared-rectifier layer, capped logits.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/attention.hpp"
#include "dyadic/models/context.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/nn/embedding.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/squared_relu_mlp.hpp"
#include "dyadic/nn/swiglu.hpp"

namespace dyadic::models {

enum class latent_variant { shared, layerwise };

struct latent_options {
  latent_variant variant = latent_variant::shared;
  int gate_channels = 0;         ///< layerwise: how many features the gates read; 0: all
};

template <config C, latent_options O = latent_options{}> struct latent_recurrent;

/// The rows of the gates: the token's own keys and values, the state's; and those of the value embedding.
struct gate_pair : axis<2> {};
struct gate_triple : axis<3> {};
struct gate_inputs : axis<> {};

/// A state's keys and values, before norm and rotation.
struct state_projections {
  nn::linear<feature, axes<heads, head_dim>> k_proj, v_proj;
  DYADIC_FIELDS(k_proj, v_proj)
  template <expression M> constexpr auto operator()(M m) const { return pair<head_dim>(k_proj(m), v_proj(m)); }
};

// ---- shared

/// One layer's part of the memory.
struct shared_memory {
  nn::linear<feature, axes<gate_pair, heads>> gate;
  parameter<> memory_scale{.init = constant_init(0.1)};
  DYADIC_FIELDS(gate, memory_scale)
};

template <config C> struct latent_block {
  nn::rms_norm<feature> input_layernorm{.eps = C.eps}, post_attention_layernorm{.eps = C.eps};
  attention self_attn = attention_of<C>();
  nn::swiglu<feature, hidden> mlp;
  DYADIC_FIELDS(input_layernorm, self_attn, post_attention_layernorm, mlp)

  /// y: the stream; m: the previous token's state, kv_m its keys and values.
  template <expression Y, expression M, class P, class Context>
  constexpr auto operator()(Y y, M m, P kv_m, shared_memory const& from, Context context) const {
    auto memory = remember<seq>(y);
    auto x = y + from.memory_scale(y) * m;
    auto u = input_layernorm(x);
    auto gates = 2 * sigmoid(from.gate(u));
    auto own = pick<gate_pair>(gates, 0), latent = pick<gate_pair>(gates, 1);
    auto k = own * self_attn.k_proj(u) + latent * kv_m.key;
    auto v = own * self_attn.v_proj(u) + latent * kv_m.value;
    auto kv = pair<head_dim>(self_attn.rotated(self_attn.k_norm(k), context.position), v);
    append(memory, kv);
    auto w = x + self_attn.out(attend(memory, self_attn.query(u, context.position), kv, context));
    return w + mlp(post_attention_layernorm(w));
  }
};

template <config C, latent_options O> requires(O.variant == latent_variant::shared) struct latent_recurrent<C, O> {
  static_assert(check_config<C>());
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, latent_block<C>> layers;
  nn::rms_norm<feature> norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;
  state_projections memory;
  stack<layer, shared_memory> memory_layers;
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head, memory,
                (memory_layers, "memory.layers"))
  static constexpr auto extents() { return block_extents<C>(layer{C.layers}); }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto h = scan<seq>(embed_tokens(tokens_of(in)), [&](auto e) {
      auto here = context.at(e);
      auto state = carry<seq>(zeros_like(e));
      auto m = read(state);
      auto kv_m = memory(m);
      auto top = norm(repeat<layer>(e, [&](auto y) { return layers.block(y, m, kv_m, memory_layers.block, here); }));
      write(state, top);
      return top;
    });
    return predictions(in, lm_head(h));
  }
};

// ---- layerwise

struct layerwise_memory {
  state_projections project;
  nn::linear<gate_inputs, axes<gate_triple, heads>> gate;
  parameter<> memory_scale{.init = constant_init(0.1)};
  DYADIC_FIELDS((project, ""), gate, memory_scale)
};

template <config C> struct layerwise_block {
  nn::linear<feature, axes<heads, group, head_dim>> q_proj;
  nn::linear<feature, axes<heads, head_dim>> k_proj, v_proj;
  nn::linear<axes<heads, group, head_dim>, feature> o_proj;
  nn::squared_relu_mlp<feature, hidden> mlp;
  nn::embedding<vocab, heads, head_dim> value_embedding;
  parameter<> stream_scale{.init = constant_init(1)}, embedding_scale{.init = constant_init(0.1)};
  DYADIC_FIELDS((q_proj, "self_attn.q_proj"), (k_proj, "self_attn.k_proj"), (v_proj, "self_attn.v_proj"), (o_proj, "self_attn.o_proj"), mlp,
                value_embedding, stream_scale, embedding_scale)

  template <expression X> static constexpr auto norm(X x) { return rms_normalize<feature>(x, C.eps); }
  /// Queries and keys: rotated, then normed.
  template <expression X, expression P> static constexpr auto placed(X x, P at) {
    return rms_normalize<head_dim>(rope<head_dim>(x, at, {.theta = C.theta}), C.eps);
  }

  /// y: the stream; e: its first value; m: the previous token's state; token: the token at this position.
  template <expression Y, expression Embedded, expression M, expression Token, class Context>
  constexpr auto operator()(Y y, Embedded e, M m, Token token, layerwise_memory const& from, Context context) const {
    auto memory = remember<seq>(y);
    auto x = stream_scale(y) * y + embedding_scale(y) * e + from.memory_scale(y) * m;
    auto u = norm(x);
    auto gates = 2 * sigmoid(from.gate(slice<feature, gate_inputs>(u, 0)));
    auto own = pick<gate_triple>(gates, 0), latent = pick<gate_triple>(gates, 1), embedded = pick<gate_triple>(gates, 2);
    auto kv_m = from.project(m);
    auto k = own * k_proj(u) + latent * kv_m.key;
    auto v = own * v_proj(u) + latent * kv_m.value + embedded * value_embedding(token);
    auto kv = pair<head_dim>(placed(k, context.position), v);
    append(memory, kv);
    auto q = placed(q_proj(u), context.position) * rsqrt(extent<head_dim>(u));
    auto w = x + o_proj(attend(memory, q, kv, context));
    return w + mlp(norm(w));
  }
};

template <config C, latent_options O> requires(O.variant == latent_variant::layerwise) struct latent_recurrent<C, O> {
  static constexpr int gate_channels = O.gate_channels > 0 ? O.gate_channels : C.width;
  static constexpr double cap = 15;          // logits stay within (-cap, cap)
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, layerwise_block<C>> layers;
  nn::linear<feature, vocab> lm_head;
  stack<layer, layerwise_memory> memory_layers;
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), lm_head, (memory_layers, "memory.layers"))
  static constexpr auto extents() { return block_extents<C>(layer{C.layers}, gate_inputs{gate_channels}); }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto norm = [](auto x) { return rms_normalize<feature>(x, C.eps); };
    auto tokens = tokens_of(in);
    auto h = scan<seq>(norm(embed_tokens(tokens)), [&](auto e) {
      auto here = context.at(e);
      auto token = position_of<seq>(tokens);
      auto state = carry<seq>(zeros_like(e));
      auto m = read(state);
      auto top = norm(repeat<layer>(e, [&](auto y) { return layers.block(y, e, m, token, memory_layers.block, here); }));
      write(state, top);
      return top;
    });
    return predictions(in, cap * tanh(lm_head(h) * (1 / cap)));
  }
};

}  // namespace dyadic::models
