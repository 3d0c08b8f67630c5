// Layer norm over one axis (Ba, Kiros and Hinton 2016), without and with a bias.
#pragma once
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/module.hpp"

namespace dyadic::nn {

/// weight * (x - mean) / sqrt(variance + eps), mean and variance over A.
template <class A> struct layer_norm {
  parameter<A> weight{.init = constant_init(1)};
  double eps = 1e-5;
  DYADIC_FIELDS(weight, eps)

  template <expression X> constexpr auto operator()(X x) const { return layer_normalize<A>(x, eps) * weight(x); }
};

/// The same with a bias over A added.
template <class A> struct layer_norm_with_bias {
  parameter<A> weight{.init = constant_init(1)};
  parameter<A> bias{.init = constant_init(0)};
  double eps = 1e-5;
  DYADIC_FIELDS(weight, bias, eps)

  template <expression X> constexpr auto operator()(X x) const { return layer_normalize<A>(x, eps) * weight(x) + bias(x); }
};

}  // namespace dyadic::nn
