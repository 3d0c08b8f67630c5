// The pre-norm block of Qwen3 (and, with other norms or positions, of most language models): grouped attention, then a gated
// feed-forward layer.
#pragma once
#include "dyadic/models/attention.hpp"
#include "dyadic/models/context.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/swiglu.hpp"

namespace dyadic::models {

template <config C> struct transformer_block {
  nn::rms_norm<feature> input_layernorm{.eps = C.eps}, post_attention_layernorm{.eps = C.eps};
  attention self_attn = attention_of<C>();
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
