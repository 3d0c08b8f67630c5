// Root-mean-square norms over one axis (Zhang and Sennrich 2019).
#pragma once
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/module.hpp"

namespace dyadic::nn {

/// weight * x / sqrt(mean over A of x^2 + eps).
template <class A> struct rms_norm {
  parameter<A> weight{.init = constant_init(1)};
  double eps = 1e-6;
  DYADIC_FIELDS(weight, eps)

  template <expression X> constexpr auto operator()(X x) const { return rms_normalize<A>(x, eps) * weight(x); }
};

/// The same with the stored weight as an offset from one: (1 + weight) * x / sqrt(mean over A of x^2 + eps).
template <class A> struct zero_centred_rms_norm {
  parameter<A> weight{.init = constant_init(0)};
  double eps = 1e-6;
  DYADIC_FIELDS(weight, eps)

  template <expression X> constexpr auto operator()(X x) const { return rms_normalize<A>(x, eps) * (weight(x) + 1); }
};

}  // namespace dyadic::nn
