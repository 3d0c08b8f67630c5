// The long short-term memory cell in Haiku's form: one weight over [x; h], gates i, g, f, o, one added to the forget gate.
#pragma once
#include "dyadic/nn/projection.hpp"

namespace dyadic::nn {

/// The rows of the weight: input, candidate, forget, output.
struct lstm_gates : axis<4> {};

/// Joint is the axis of [x; h], as long as Input and State together.
template <class Input, class State, class Joint> struct lstm_cell {
  parameter<lstm_gates, State, Joint> weight{.init = fan_in(1)};
  parameter<lstm_gates, State> bias{.init = constant_init(0)};
  DYADIC_FIELDS(weight, bias)

  /// The columns of the weight that meet x.
  template <expression X> constexpr auto input_weight(X x) const { return slice<Joint, Input>(weight(x), 0); }
  template <expression X> constexpr auto state_weight(X x, int line = __builtin_LINE()) const { 
    auto w = weight(x);   // from the column after Input's on
    return dyadic::detail::window_of<Joint, prime<State>>(w, 0, axis_id<Input>(*w.b), 1, line);
  }

  /// The gates' input side, [lstm_gates, State]: depends on x alone. For integer x it is the column of a one-hot input.
  template <expression X> constexpr auto input_gates(X x) const {
    if constexpr (dtype_is<typename X::element, i32>) return gather<Input>(input_weight(x), x) + bias(x);
    else return contract<Input>(x, input_weight(x)) + bias(x);
  }
  /// All gates before their nonlinearities. `from_input` is input_gates(x).
  template <expression G, expression H> constexpr auto gates(G from_input, H h) const {
    return from_input + contract<prime<State>>(rename<State, prime<State>>(h), state_weight(h));
  }

  template <class C> struct memory_and_output { C cell, output; };
  /// Cell and output at the next position, from the gates and the cell so far.
  template <expression Z, expression C> static constexpr auto update(Z z, C c) {
    auto gate = [&](int k) { return pick<lstm_gates>(z, k); };
    auto cell = sigmoid(gate(2) + 1) * c + sigmoid(gate(0)) * tanh(gate(1));
    return memory_and_output<decltype(cell)>{cell, sigmoid(gate(3)) * tanh(cell)};
  }
};

}  // namespace dyadic::nn
