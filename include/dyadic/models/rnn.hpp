// The plain recurrent network of the formal-language benchmark: h' = relu(x W + h U + b), over one-hot symbols.
#pragma once
#include "dyadic/graph/carry.hpp"
#include "dyadic/models/symbols.hpp"
#include "dyadic/nn/embedding.hpp"

namespace dyadic::models {

template <symbol_config C> struct rnn {
  nn::embedding<inputs, units> input;
  nn::affine<units, units> recurrent;
  nn::affine<units, classes> head;
  DYADIC_FIELDS(input, recurrent, head)
  static constexpr auto extents() { return symbol_extents<C>(); }

  constexpr auto operator()(source in) const {
    auto h = scan<seq>(input(symbols_of(in)), [&](auto x_t) {
      auto state = carry<seq>(zeros<batch, units>(x_t));
      auto next = relu(x_t + recurrent(read(state)));
      write(state, next);
      return next;
    });
    return classified(in, head, h);
  }
};

}  // namespace dyadic::models
