// The pre-norm block of Qwen3 (and, with other norms or positions, of most language models): grouped attention, then a gated feed-forward layer.
#pragma once
#include "dyadic/models/context.hpp"
#include "dyadic/nn/attention_projections.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/swiglu.hpp"

namespace dyadic::models {

template <config C> struct transformer_block {
  nn::rms_norm<feature> input_layernorm{.eps = C.eps}, post_attention_layernorm{.eps = C.eps};
  nn::attention_projections<feature, heads, group, head_dim> self_attn{.q_norm = {.eps = C.eps}, .k_norm = {.eps = C.eps}, .theta = C.theta};
  nn::swiglu<feature, hidden> mlp;
  DYADIC_FIELDS(input_layernorm, self_attn, post_attention_layernorm, mlp)

  /// x at one position; `context` says where that is and what it may see.
  template <expression X, class Context> constexpr auto operator()(X x, Context context) const {
    auto memory = remember<seq>(x);
    auto u = input_layernorm(x);
    auto kv = self_attn.key_value(u, context.position);
    append(memory, kv);
    auto a = attend(memory, self_attn.query(u, context.position), kv, context);
    auto y = x + self_attn.out(a);
    return y + mlp(post_attention_layernorm(y));
  }
};

}  // namespace dyadic::models
