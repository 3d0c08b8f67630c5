// A feed-forward layer with the squared rectifier (So et al. 2021), as nanochat's.
#pragma once
#include "dyadic/nn/linear.hpp"

namespace dyadic::nn {

/// down(relu(up x)^2), the same over Feature.
template <class Feature, class Hidden> struct squared_relu_mlp {
  linear<Feature, Hidden> up_proj;
  linear<Hidden, Feature> down_proj;
  DYADIC_FIELDS(up_proj, down_proj)

  template <expression X> constexpr auto operator()(X x) const { return down_proj(squared_relu(up_proj(x))); }
};

}  // namespace dyadic::nn
