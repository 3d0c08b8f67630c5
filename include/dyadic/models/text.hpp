// The inputs and the results that every language model here shares.
#pragma once
#include "dyadic/graph/trace.hpp"
#include "dyadic/models/axes.hpp"

namespace dyadic::models {

/// Tokens to read and, at the same positions, the tokens to predict (-1: not counted).
constexpr auto tokens_of(source in) { return in.index<vocab, batch, seq>("tokens"); }
constexpr auto targets_of(source in) { return in.index<vocab, batch, seq>("targets"); }

/// The results of a language model: `logits`, and `loss`, the cross-entropy in nats of every token.
template <expression Logits> constexpr auto predictions(source in, Logits logits) {
  return results(named("logits", logits), named("loss", cross_entropy<vocab>(logits, targets_of(in))));
}

}  // namespace dyadic::models
