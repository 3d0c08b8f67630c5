// A feed-forward layer with the exact (erf) Gaussian error linear unit.
#pragma once
#include "dyadic/nn/linear.hpp"

namespace dyadic::nn {

/// down(gelu(up x)), the same over Feature.
template <class Feature, class Hidden> struct gelu_mlp {
  linear<Feature, Hidden> up_proj;
  linear<Hidden, Feature> down_proj;
  DYADIC_FIELDS(up_proj, down_proj)

  template <expression X> constexpr auto operator()(X x) const { return down_proj(gelu(up_proj(x))); }
};

}  // namespace dyadic::nn
