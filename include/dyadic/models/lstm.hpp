// The LSTM of the formal-language benchmark (Haiku's form), over one-hot symbols.
#pragma once
#include "dyadic/graph/carry.hpp"
#include "dyadic/models/symbols.hpp"
#include "dyadic/nn/lstm_cell.hpp"

namespace dyadic::models {

/// [x; h].
struct inputs_and_units : axis<> {};

template <symbol_config C> struct lstm {
  nn::lstm_cell<inputs, units, inputs_and_units> cell;
  nn::affine<units, classes> head;
  DYADIC_FIELDS(cell, head)
  static constexpr auto extents() { return symbol_extents<C>(inputs_and_units{C.inputs + C.hidden}); }

  constexpr auto operator()(source in) const {
    auto h = scan<seq>(cell.input_gates(symbols_of(in)), [&](auto x_t) {
      auto zero = zeros<batch, units>(x_t);
      auto output = carry<seq>(zero), c = carry<seq>(zero);
      auto next = cell.update(cell.gates(x_t, read(output)), read(c));
      write(c, next.cell);
      write(output, next.output);
      return next.output;
    });
    return classified(in, head, h);
  }
};

}  // namespace dyadic::models
