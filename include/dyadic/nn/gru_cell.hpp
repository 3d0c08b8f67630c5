// The gated recurrent unit in PyTorch's form (torch.nn.GRUCell): its parameter names, its gate order, the reset gate after the product.
#pragma once
#include "dyadic/nn/projection.hpp"

namespace dyadic::nn {

/// The rows of a GRU's weights: reset, update, new.
struct gru_gates : axis<3> {};

/// r = sigmoid(x W_r + h U_r), z = sigmoid(x W_z + h U_z), n = tanh(x W_n + r * (h U_n)), h' = (1 - z) n + z h, each product with its bias.
/// x has Input, h has State; they may be the same axis.
template <class Input, class State> struct gru_cell {
  matrix<axes<gru_gates, State>, Input> weight_ih{.init = fan_in(1)};
  matrix<axes<gru_gates, State>, State> weight_hh{.init = fan_in(1)};
  parameter<gru_gates, State> bias_ih{.init = constant_init(0)}, bias_hh{.init = constant_init(0)};
  DYADIC_FIELDS(weight_ih, weight_hh, bias_ih, bias_hh)

  /// The gates' input side, [gru_gates, State]: depends on x alone, so that a scan computes it for all positions at once.
  template <expression X> constexpr auto input_gates(X x) const {
    return project<axes<gru_gates, State>, Input>(x, weight_ih(x)) + bias_ih(x);
  }

  /// The new state. `from_input` is input_gates(x).
  template <expression G, expression H> constexpr auto step(G from_input, H h) const {
    auto from_state = project<axes<gru_gates, State>, State>(h, weight_hh(h)) + bias_hh(h);
    auto r = sigmoid(pick<gru_gates>(from_input, 0) + pick<gru_gates>(from_state, 0));
    auto z = sigmoid(pick<gru_gates>(from_input, 1) + pick<gru_gates>(from_state, 1));
    auto n = tanh(pick<gru_gates>(from_input, 2) + r * pick<gru_gates>(from_state, 2));
    return (1 - z) * n + z * h;
  }
  template <expression X, expression H> constexpr auto operator()(X x, H h) const { return step(input_gates(x), h); }
};

}  // namespace dyadic::nn
