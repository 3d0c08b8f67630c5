// What the attention of a token may see and where the token stands, from a configuration and the inputs that it asks for.
#pragma once
#include "dyadic/graph/trace.hpp"
#include "dyadic/models/config.hpp"

namespace dyadic::models {

namespace detail {
struct absent {};
}

/// At one position of the sequence: its rotary position and its documents (detail::absent where not configured).
template <config C, class Position, class Document> struct attention_context {
  Position position;
  Document document;

  /// The score of a pair, or never where the window or the document forbids it.
  template <class S, class P> constexpr auto operator()(S score, P pair) const { return within_document(within_window(score, pair), pair); }

 private:
  template <class S, class P> static constexpr auto within_window(S score, P pair) {
    if constexpr (C.window > 0) return select(pair.distance() < C.window, score, never(score));
    else return score;
  }
  template <class S, class P> constexpr auto within_document(S score, P pair) const {
    if constexpr (C.packed) return select(document == pair.key(document), score, never(score));
    else return score;
  }
};

/// The inputs that the configuration asks for, over the whole sequence.
template <config C, class Positions, class Documents> struct context_inputs {
  Positions positions;
  Documents documents;

  /// At the position of x_t, inside a scan over the sequence.
  template <expression X> constexpr auto at(X x_t) const {
    auto position = [&] {
      if constexpr (C.positions) return position_of<seq>(positions);
      else return dyadic::position<seq>(x_t);
    }();
    auto document = [&] {
      if constexpr (C.packed) return position_of<seq>(documents);
      else return detail::absent{};
    }();
    return attention_context<C, decltype(position), decltype(document)>{position, document};
  }
};

/// Declares `positions` and `documents` where C asks for them.
template <config C> constexpr auto context_of(source in) {
  auto positions = [&] {
    if constexpr (C.positions) return in.integers<batch, seq>("positions");
    else return detail::absent{};
  }();
  auto documents = [&] {
    if constexpr (C.packed) return in.integers<batch, seq>("documents");
    else return detail::absent{};
  }();
  return context_inputs<C, decltype(positions), decltype(documents)>{positions, documents};
}

}  // namespace dyadic::models
