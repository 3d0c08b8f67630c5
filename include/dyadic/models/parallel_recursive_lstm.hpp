// The Parallel Recursive LSTM: a tree of LSTM merges over the sequence, whose value at a position is the left fold of perfect subtrees over
// its prefix. Depth is logarithmic; no padding, and the merge need not be associative.
#pragma once
#include "dyadic/graph/tree.hpp"
#include "dyadic/models/symbols.hpp"

namespace dyadic::models {

struct recursive_options {
  int refinements = 1;           ///< one-child cells after each merge, with their own weights
};

// Rows of the weights: input, candidate, output, and a forget gate per child.
struct leaf_gates : axis<3> {};
struct refine_gates : axis<4> {};
struct merge_gates : axis<5> {};
struct children : axis<2> {};
struct refinement : axis<> {};

/// A cell's state. Neither norm nor residual nor a forget bias.
template <class X> struct cell_state { X h, c; };

template <class Gates, class Z, class F> constexpr auto cell_update(Z z, F forget) {
  auto c = sigmoid(pick<Gates>(z, 0)) * tanh(pick<Gates>(z, 1)) + forget;
  return cell_state<decltype(c)>{sigmoid(pick<Gates>(z, 2)) * tanh(c), c};
}

/// A leaf has no children and so no forget gate.
struct leaf_cell {
  nn::affine<inputs, axes<leaf_gates, units>> map;
  DYADIC_FIELDS((map, ""))
  template <expression X> constexpr auto operator()(X symbol) const {
    auto z = gather<inputs>(map.weight(symbol), symbol) + map.bias(symbol);
    auto c = sigmoid(pick<leaf_gates>(z, 0)) * tanh(pick<leaf_gates>(z, 1));
    return cell_state<decltype(c)>{sigmoid(pick<leaf_gates>(z, 2)) * tanh(c), c};
  }
};

/// Two children.
struct merge_cell {
  nn::affine<axes<children, units>, axes<merge_gates, units>> map;
  DYADIC_FIELDS((map, ""))
  template <expression H, expression D> constexpr auto operator()(H left_h, H right_h, D left_c, D right_c) const {
    auto w = map.weight(left_h);
    auto from = [&](auto h, int k) { return contract<prime<units>>(rename<units, prime<units>>(h), pick<children>(w, k)); };
    auto z = from(left_h, 0) + from(right_h, 1) + map.bias(left_h);
    return cell_update<merge_gates>(z, sigmoid(pick<merge_gates>(z, 3)) * left_c + sigmoid(pick<merge_gates>(z, 4)) * right_c);
  }
};

/// One child.
struct refine_cell {
  nn::affine<units, axes<refine_gates, units>> map;
  DYADIC_FIELDS((map, ""))
  template <expression H, expression D> constexpr auto operator()(H h, D c) const {
    auto z = map(h);
    return cell_update<refine_gates>(z, sigmoid(pick<refine_gates>(z, 3)) * c);
  }
};

template <symbol_config C, recursive_options R = recursive_options{}> struct parallel_recursive_lstm {
  leaf_cell leaf;
  merge_cell merge;
  stack<refinement, refine_cell> refine;
  nn::affine<units, classes> head;
  DYADIC_FIELDS(leaf, merge, refine, head)
  static constexpr auto extents() { return symbol_extents<C>(refinement{R.refinements}); }

  constexpr auto operator()(source in) const {
    auto first = leaf(symbols_of(in));
    auto tree = dyadic::tree<seq, merges>(first.h);
    auto h = carry(tree, first.h), c = carry(tree, first.c);
    auto merged = merge(left(h), right(h), left(c), right(c));
    auto refined = repeat<refinement>(values(merged.h, merged.c), [&](auto x, auto y) {
      auto next = refine.block(x, y);
      return values(next.h, next.c);
    });
    write(h, refined.first);
    write(c, refined.second);
    return classified(in, head, prefixes(h));
  }
};

}  // namespace dyadic::models
