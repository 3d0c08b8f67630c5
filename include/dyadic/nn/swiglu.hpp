// The gated feed-forward layer of Shazeer 2020, with Qwen3's parameter names.
#pragma once
#include "dyadic/nn/linear.hpp"

namespace dyadic::nn {

/// down(silu(gate x) * up x), the same over Feature.
template <class Feature, class Hidden> struct swiglu {
  linear<Feature, Hidden> gate_proj, up_proj;
  linear<Hidden, Feature> down_proj;
  DYADIC_FIELDS(gate_proj, up_proj, down_proj)

  template <expression X> constexpr auto operator()(X x) const { return down_proj(silu(gate_proj(x)) * up_proj(x)); }
};

}  // namespace dyadic::nn
