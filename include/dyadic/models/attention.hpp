// Qwen3's attention in a configuration's sizes: what most of the models attend with.
#pragma once
#include "dyadic/models/config.hpp"
#include "dyadic/nn/attention_projections.hpp"

namespace dyadic::models {

using attention = nn::attention_projections<feature, heads, group, head_dim>;

template <config C> constexpr attention attention_of() {
  return {.q_norm = {.eps = C.eps}, .k_norm = {.eps = C.eps}, .theta = C.theta};
}

}  // namespace dyadic::models
