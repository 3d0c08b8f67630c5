// The persistent recurrent memory: between the halves of a Transformer a state observes the lower half's output, is updated by GRU steps
// and is injected into the stream. The published form computes one state from the whole sequence and adds it everywhere, so that every
// position sees its own target; it is kept under a name that says so. The others are causal.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/models/transformer_block.hpp"
#include "dyadic/nn/embedding.hpp"
#include "dyadic/nn/gru_cell.hpp"
#include "dyadic/nn/layer_norm.hpp"

namespace dyadic::models {

/// prefix: the state at t observes positions up to t, from the initial state.
/// chunked: chunk c reads the state that the chunks before it left, then updates it.
/// whole_sequence_leaky: one state from all positions, added to all: not causal.
enum class memory_scope { prefix, chunked, whole_sequence_leaky };

struct gru_memory_options {
  memory_scope scope = memory_scope::prefix;
  int heads = 1;                 ///< of the observation
  int steps = 2;                 ///< GRU steps per update, each with its own weights
  int chunk = 64;                ///< chunked: positions of a chunk
  double layer_norm_eps = 1e-5;
};

struct lower : axis<> {};        ///< layers below the memory
struct upper : axis<> {};        ///< and above it
struct memory_heads : axis<> {};
struct memory_dim : axis<> {};
struct memory_step : axis<> {};
struct stream_and_state : axis<2> {};

/// Multi-head attention with the state as its query.
struct observation {
  nn::affine<feature, axes<memory_heads, memory_dim>> q_proj, k_proj, v_proj;
  nn::affine<axes<memory_heads, memory_dim>, feature> o_proj;
  DYADIC_FIELDS(q_proj, k_proj, v_proj, o_proj)

  template <expression S> constexpr auto query(S s) const { return q_proj(s) * rsqrt(extent<memory_dim>(s)); }
  template <expression X> constexpr auto key_value(X x) const { return pair<memory_dim>(k_proj(x), v_proj(x)); }
  /// Over an axis without order. `counted` is false at padding.
  template <class Over, expression S, expression X, expression B> constexpr auto all(S s, X x, B counted) const {
    auto scores = contract<memory_dim>(query(s), k_proj(x));
    return o_proj(contract<Over>(softmax<Over>(select(counted, scores, never(scores))), v_proj(x)));
  }
};

/// [stream; state] gates what the state adds.
struct injection {
  nn::affine<axes<stream_and_state, feature>, feature> gate;
  nn::affine<feature, feature> out;

  template <expression X, expression S> constexpr auto operator()(X x, S s) const {
    auto w = gate.weight(x);
    auto part = [&](auto y, int k) { return contract<prime<feature>>(rename<feature, prime<feature>>(y), pick<stream_and_state>(w, k)); };
    return x + sigmoid(part(x, 0) + part(s, 1) + gate.bias(x)) * out(s);
  }
  DYADIC_FIELDS(gate, out)
};

template <gru_memory_options M> struct persistent_memory {
  observation observe;
  stack<memory_step, nn::gru_cell<feature, feature>> gru;
  stack<memory_step, nn::layer_norm_with_bias<feature>> norm{.block = {.eps = M.layer_norm_eps}};
  injection inject;
  parameter<feature> initial{.init = normal_init(0.02)};
  DYADIC_FIELDS(observe, gru, norm, (inject, ""), initial)

  /// s after the GRU steps, each on the observation o and the state so far.
  template <expression O, expression S> constexpr auto update(O o, S s) const {
    return repeat<memory_step>(s, [&](auto h) { return norm.block(gru.block(o, h)); });
  }

  template <expression X> constexpr auto operator()(X x) const {
    auto first = initial(x);
    if constexpr (M.scope == memory_scope::whole_sequence_leaky) {
      auto o = observe.all<seq>(first, x, ones<seq>(x) > 0);
      return inject(x, update(o, zeros_like(o) + first));
    } else if constexpr (M.scope == memory_scope::prefix) {
      return scan<seq>(x, [&](auto x_t) {
        auto seen = remember<seq>(x_t);
        auto kv = observe.key_value(x_t);
        append(seen, kv);
        auto o = observe.o_proj(attend(seen, observe.query(first), kv));
        return inject(x_t, update(o, zeros_like(o) + first));
      });
    } else {
      auto present = split<seq, chunk, within>(ones<seq>(x));          // 0 in the padding of a ragged last chunk
      return chunked<seq, chunk, within>(x, [&](auto x_c) {
        auto counted = position_of<chunk>(present) > 0;
        auto state = carry<chunk>(zeros<batch, feature>(x) + first);
        auto s = read(state);
        write(state, update(observe.all<within>(s, x_c, counted), s));
        return inject(x_c, s);
      });
    }
  }
};

template <config C, gru_memory_options M = gru_memory_options{}> struct gru_memory {
  static_assert(check_config<C>());
  static_assert(C.layers % 2 == 0, "gru_memory: the memory lies between two halves; layers must be even");
  static_assert(M.heads > 0 && C.width % M.heads == 0, "gru_memory: the memory's heads must divide the width");
  nn::embedding<vocab, feature> embed_tokens;
  stack<lower, transformer_block<C>> lower_half;
  persistent_memory<M> memory;
  stack<upper, transformer_block<C>> upper_half{.offset = C.layers / 2};
  nn::rms_norm<feature> norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;          // not read when tied
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (lower_half, "model.layers"), memory, (upper_half, "model.layers"),
                (norm, "model.norm"), lm_head)

  static constexpr auto extents() {
    constexpr int half = C.layers / 2, dim = C.width / M.heads;
    constexpr auto all = block_extents<C>(lower{half}, upper{half}, memory_heads{M.heads}, memory_dim{dim}, memory_step{M.steps});
    if constexpr (M.scope == memory_scope::chunked) return join(all, bind(within{M.chunk}));
    else return all;
  }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto x = scan<seq>(embed_tokens(tokens_of(in)), [&](auto x_t) { return lower_half.with(x_t, context.at(x_t)); });
    auto h = scan<seq>(memory(x), [&](auto x_t) { return norm(upper_half.with(x_t, context.at(x_t))); });
    if constexpr (C.tied) return predictions(in, embed_tokens.logits(h));
    else return predictions(in, lm_head(h));
  }
};

}  // namespace dyadic::models
