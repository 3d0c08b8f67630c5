// A linear map between named axes, without and with a bias.
#pragma once
#include "dyadic/nn/projection.hpp"

namespace dyadic::nn {

/// linear<In, Out>: y[Out] = sum over In of weight[Out, In] * x[In]. In and Out are an axis or axes<...>.
/// linear<feature, feature> is square.
template <class In, class Out> struct linear {
  matrix<Out, In> weight{.init = fan_in(detail::weight_type<detail::side<Out>, detail::side<In>>::inputs)};
  DYADIC_FIELDS(weight)

  template <expression X> constexpr auto operator()(X x, int line = __builtin_LINE()) const { return project<Out, In>(x, weight(x), line); }
};

/// The same with a bias over Out added.
template <class In, class Out> struct affine {
  matrix<Out, In> weight{.init = fan_in(detail::weight_type<detail::side<Out>, detail::side<In>>::inputs)};
  vector<Out> bias{.init = constant_init(0)};
  DYADIC_FIELDS(weight, bias)

  template <expression X> constexpr auto operator()(X x, int line = __builtin_LINE()) const {
    return project<Out, In>(x, weight(x), line) + bias(x);
  }
};

}  // namespace dyadic::nn
