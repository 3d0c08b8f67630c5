// Depth-Attention: a layer's values are mixed with those of earlier source layers at the same token, by attention along depth; then the
// token attends to the mixed values as usual. No parameters are added. With loops the stack is executed several times.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/models/attention.hpp"
#include "dyadic/models/context.hpp"
#include "dyadic/models/text.hpp"
#include "dyadic/nn/embedding.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/swiglu.hpp"

namespace dyadic::models {

/// What makes an execution a source: the index of its layer, that index in the first loop only, or the index of the execution.
enum class depth_anchor { layer, layer_once, execution };
/// Qwen3 norms a key and then rotates it; the authors' released code rotates first.
enum class key_order { norm_then_rotation, rotation_then_norm };

struct depth_options {
  int stride = 1;                ///< every stride-th layer is a source
  int loops = 1;                 ///< how often the stack is executed
  depth_anchor anchor = depth_anchor::layer;
  key_order keys = key_order::norm_then_rotation;
};

template <config C, depth_options D> struct depth_block {
  nn::rms_norm<feature> input_layernorm{.eps = C.eps}, post_attention_layernorm{.eps = C.eps};
  attention self_attn = attention_of<C>();
  nn::swiglu<feature, hidden> mlp;
  DYADIC_FIELDS(input_layernorm, self_attn, post_attention_layernorm, mlp)

  template <expression U, expression P> constexpr auto key(U u, P at) const {
    if constexpr (D.keys == key_order::norm_then_rotation) return self_attn.key(u, at);
    else return self_attn.k_norm(self_attn.rotated(self_attn.k_proj(u), at));
  }

  /// x at one token and layer; `depth` holds the source layers' keys and mixed values; `source` says whether this layer becomes one.
  template <expression X, class Depth, expression B, class Context>
  constexpr auto operator()(X x, Depth depth, B source, Context context) const {
    auto u = input_layernorm(x);
    auto q = self_attn.query(u, context.position);
    auto k = key(u, context.position);
    auto mixed = attend(depth, mean<group>(q), pair<head_dim>(k, self_attn.value(u)));
    auto kv = pair<head_dim>(k, mixed);
    append(depth, kv, source);
    auto memory = remember<seq>(x);
    append(memory, kv);
    auto y = x + self_attn.out(attend(memory, q, kv, context));
    return y + mlp(post_attention_layernorm(y));
  }
};

template <config C, depth_options D = depth_options{}> struct depth_attention {
  static_assert(check_config<C>());
  nn::embedding<vocab, feature> embed_tokens;
  stack<layer, depth_block<C, D>> layers;
  nn::rms_norm<feature> norm{.eps = C.eps};
  nn::linear<feature, vocab> lm_head;          // not read when tied
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head)

  static constexpr auto extents() {
    if constexpr (D.loops == 1) return block_extents<C>(layer{C.layers});
    else return block_extents<C>(layer{C.layers}, executed{C.layers * D.loops});
  }

  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    auto h = scan<seq>(embed_tokens(tokens_of(in)), [&](auto x) {
      auto here = context.at(x);
      if constexpr (D.loops == 1) {
        auto depth = remember<layer>(x);
        return norm(repeat<layer>(x, [&](auto y) { return layers.block(y, depth, position<layer>(y) % D.stride == 0, here); }));
      } else {
        auto depth = remember<executed>(x);
        return norm(repeat<executed, layer>(x, [&](auto y) { return layers.block(y, depth, is_source(position<executed>(y)), here); }));
      }
    });
    if constexpr (C.tied) return predictions(in, embed_tokens.logits(h));
    else return predictions(in, lm_head(h));
  }

 private:
  template <expression Entry> static constexpr auto is_source(Entry e) {
    if constexpr (D.anchor == depth_anchor::execution) return e % D.stride == 0;
    else if constexpr (D.anchor == depth_anchor::layer) return e % C.layers % D.stride == 0;
    else return select(e < C.layers, e % D.stride, number(e, 1)) == 0;
  }
};

}  // namespace dyadic::models
