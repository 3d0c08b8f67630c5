// What the baselines of the formal-language benchmark share: symbols in, a class per position out.
#pragma once
#include "dyadic/axes/bind.hpp"
#include "dyadic/graph/trace.hpp"
#include "dyadic/models/axes.hpp"
#include "dyadic/nn/linear.hpp"

namespace dyadic::models {

struct symbol_config {
  int inputs = 0, hidden = 0, classes = 0;
};
template <symbol_config C> inline constexpr bool symbol_sizes_are_positive = C.inputs > 0 && C.hidden > 0 && C.classes > 0;

/// What C fixes, and More of a model's own.
template <symbol_config C, class... More> constexpr auto symbol_extents(More... more) {
  static_assert(symbol_sizes_are_positive<C>, "symbol_config: inputs, hidden and classes must be given");
  return bind(inputs{C.inputs}, units{C.hidden}, classes{C.classes}, more...);
}

constexpr auto symbols_of(source in) { return in.index<inputs, batch, seq>("tokens"); }

/// Linear(relu(h)) per position, and its cross-entropy.
template <expression H> constexpr auto classified(source in, nn::affine<units, classes> const& head, H h) {
  auto logits = head(relu(h));
  auto targets = in.index<classes, batch, seq>("targets");
  return results(named("logits", logits), named("loss", cross_entropy<classes>(logits, targets)));
}

}  // namespace dyadic::models
