// The score of a fold as a program over tiles of pairs: the pair nodes in order, each into a buffer of its own.
#pragma once
#include "dyadic/cpu/maps.hpp"

namespace dyadic::cpu {

/// What a step of a pair program reads: a tile, or one number for all pairs of an outer position.
struct pair_operand {
  enum kind_t : std::uint8_t { tile, uniform } kind = tile;
  int index = 0;   ///< buffer, or leaf
};

template <class T> struct pair_program {
  struct step {
    op kind{};                   ///< op::distance, op::spread (a leaf along rows or columns), or pointwise
    map_kernel<T> kernel = nullptr;
    int operands = 0, buffer = 0;
    pair_operand in[3];
  };
  std::vector<step> steps;
  int buffers = 1;               ///< buffer 0 holds <q, k>
  bool chooses = false;          ///< a step chooses by the distance or by uniform leaves: a tile may turn out to be chosen throughout
  pair_operand score, slope;
};

/// A leaf of the program: a node read at the query or at the key. uniform: it lacks the folded axis.
struct pair_leaf { int node; bool at_key, uniform; };

/// Writes the program of two roots (slope = -1: none) of a fold over `axis`; its leaves are added to `leaves`.
template <class T> pair_program<T> pair_program_of(graph_view g, int score, int slope, int axis, std::vector<pair_leaf>& leaves) {
  pair_program<T> r;
  int const top = (std::max)(score, slope);
  auto const size = static_cast<std::size_t>(top + 1);
  std::vector<char> needed(size, 0), known(size, 0);
  std::vector<pair_operand> where(size);
  std::vector<int> buffer_of_leaf;
  auto is_pair = [&](int i) { return (g[i].axes & pair_bit) != 0; };
  for (int root : {score, slope}) if (root >= 0) needed[static_cast<std::size_t>(root)] = 1;
  for (int i = top; i >= 0; --i) {
    if (!needed[static_cast<std::size_t>(i)] || !is_pair(i) || g[i].kind == op::at_key) continue;
    for (int a = 0; a < g[i].nargs; ++a) if (g[i].arg[a] >= 0) needed[static_cast<std::size_t>(g[i].arg[a])] = 1;
  }
  auto leaf = [&](int node, bool at_key) -> pair_operand {
    std::size_t l = 0;
    while (l < leaves.size() && !(leaves[l].node == node && leaves[l].at_key == at_key)) ++l;
    if (l == leaves.size()) {
      leaves.push_back({node, at_key, !(g[node].axes >> axis & 1)});
      buffer_of_leaf.push_back(-1);
    }
    pair_operand const one{pair_operand::uniform, static_cast<int>(l)};
    if (leaves[l].uniform) return one;
    if (buffer_of_leaf[l] < 0) {
      typename pair_program<T>::step s;
      s.kind = op::spread;
      s.buffer = buffer_of_leaf[l] = r.buffers++;
      s.in[0] = one;
      r.steps.push_back(s);
    }
    return {pair_operand::tile, buffer_of_leaf[l]};
  };
  for (int i = 0; i <= top; ++i) {
    if (!needed[static_cast<std::size_t>(i)]) continue;
    node const& x = g[i];
    pair_operand& here = where[static_cast<std::size_t>(i)];
    if (x.kind == op::score) { here = {pair_operand::tile, 0}; continue; }
    if (!is_pair(i) || x.kind == op::at_key) {
      here = is_pair(i) ? leaf(x.arg[0], true) : leaf(i, false);
      known[static_cast<std::size_t>(i)] = here.kind == pair_operand::uniform;
      continue;
    }
    typename pair_program<T>::step s;
    s.kind = x.kind;
    known[static_cast<std::size_t>(i)] = 1;
    if (x.kind != op::distance) {
      s.kernel = kernel_of<T>(x);
      if (!s.kernel) raise(error_kind::argument, message() << "a score cannot hold the operation " << op_name(x.kind));
      s.operands = x.nargs;
      for (int a = 0; a < x.nargs; ++a) {
        std::size_t const from = static_cast<std::size_t>(x.arg[a]);
        s.in[a] = where[from];
        if (!known[from]) known[static_cast<std::size_t>(i)] = 0;
      }
      if (x.kind == op::select && known[static_cast<std::size_t>(x.arg[0])]) r.chooses = true;
    }
    s.buffer = r.buffers++;
    r.steps.push_back(s);
    here = {pair_operand::tile, s.buffer};
  }
  r.score = where[static_cast<std::size_t>(score)];
  if (slope >= 0) r.slope = where[static_cast<std::size_t>(slope)];
  return r;
}

/// A tile while it is evaluated: rows of one side times columns of the other, rows padded to whole vectors.
template <class T> struct pair_tile {
  T* buffer;                     ///< tiles one after another, each of `size` elements
  std::int64_t size, rows, stride;
  T const* const* leaf;          ///< by leaf: one number, or those of the tile's rows or columns
  bool keys_are_rows;
  std::int64_t distance, by_row, by_col;   ///< of the first pair, and from row to row and column to column
};

}  // namespace dyadic::cpu
