// Gated recurrent units over one-hot symbols, in PyTorch's and in Haiku's form. The roles of the update gate are opposite.
#pragma once
#include "dyadic/graph/carry.hpp"
#include "dyadic/models/symbols.hpp"
#include "dyadic/nn/gru_cell.hpp"

namespace dyadic::models {

/// pytorch: see nn::gru_cell. haiku: z and r from x and h, a = tanh(x W_a + (r * h) U_a + b_a), h' = (1 - z) h + z a.
enum class gru_form { pytorch, haiku };

struct haiku_gru_cell {
  nn::matrix<axes<nn::gru_gates, units>, inputs> w_i{.init = fan_in(1)};          // rows z, r, a
  nn::matrix<axes<nn::gru_gates, units>, units> w_h{.init = fan_in(1)};
  parameter<nn::gru_gates, units> b{.init = constant_init(0)};
  DYADIC_FIELDS(w_i, w_h, b)

  template <expression X> constexpr auto input_gates(X symbol) const { return gather<inputs>(w_i(symbol), symbol) + b(symbol); }
  template <expression G, expression H> constexpr auto step(G from_input, H h) const {
    auto from_state = [&](auto y, int k) { return contract<prime<units>>(rename<units, prime<units>>(y), pick<nn::gru_gates>(w_h(y), k)); };
    auto z = sigmoid(pick<nn::gru_gates>(from_input, 0) + from_state(h, 0));
    auto r = sigmoid(pick<nn::gru_gates>(from_input, 1) + from_state(h, 1));
    auto a = tanh(pick<nn::gru_gates>(from_input, 2) + from_state(r * h, 2));
    return (1 - z) * h + z * a;
  }
};

/// PyTorch's cell with symbols as its input: the column of a one-hot vector is a row of the table.
struct pytorch_gru_cell {
  nn::gru_cell<inputs, units> cell;
  DYADIC_FIELDS((cell, ""))

  template <expression X> constexpr auto input_gates(X symbol) const {
    return gather<inputs>(cell.weight_ih(symbol), symbol) + cell.bias_ih(symbol);
  }
  template <expression G, expression H> constexpr auto step(G from_input, H h) const { return cell.step(from_input, h); }
};

template <symbol_config C, gru_form F = gru_form::pytorch> struct gru {
  std::conditional_t<F == gru_form::pytorch, pytorch_gru_cell, haiku_gru_cell> cell;
  nn::affine<units, classes> head;
  DYADIC_FIELDS(cell, head)
  static constexpr auto extents() { return symbol_extents<C>(); }

  constexpr auto operator()(source in) const {
    auto h = scan<seq>(cell.input_gates(symbols_of(in)), [&](auto x_t) {
      auto state = carry<seq>(zeros<batch, units>(x_t));
      auto next = cell.step(x_t, read(state));
      write(state, next);
      return next;
    });
    return classified(in, head, h);
  }
};

}  // namespace dyadic::models
