// A table of rows, read at an index.
#pragma once
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/module.hpp"

namespace dyadic::nn {

/// embedding<Vocab, A...>: a row over A... for each index of Vocab. An index outside the table reads 0.
template <class Vocab, class... A> struct embedding {
  parameter<Vocab, A...> weight{.init = normal_init(0.02, sizeof...(A))};
  DYADIC_FIELDS(weight)

  /// The rows at `index`, an integer expression: its axes and A...
  template <expression Index> constexpr auto operator()(Index index) const { return gather<Vocab>(weight(index), index); }
  /// The table as a readout (tied weights): <h, row> for every row of Vocab.
  template <expression H> constexpr auto logits(H h, int line = __builtin_LINE()) const { return contract<A...>(h, weight(h), line); }
};

}  // namespace dyadic::nn
