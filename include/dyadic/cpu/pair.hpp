// The score of a fold, evaluated over a tile of queries times keys: the pair nodes in order, each into a buffer of its own, row by row.
#pragma once
#include "dyadic/cpu/maps.hpp"

namespace dyadic::cpu {

/// What a step of a pair program reads: a tile, a value of the key (a row of the tile), or a value of the query (a number per row).
struct pair_operand {
  enum kind_t : std::uint8_t { tile, key, query } kind = tile;
  int index = 0;   ///< buffer, or operand of the fold
};

template <class T> struct pair_program {
  struct step {
    op kind{};
    map_kernel<T> kernel = nullptr;
    int operands = 0, buffer = 0;
    bool flat = false;           ///< reads tiles alone: the whole tile is one row
    pair_operand in[3];
  };
  std::vector<step> steps;
  int buffers = 1;               ///< buffer 0 holds <q, k>
  pair_operand score, slope;
};

/// A leaf of the program: a node read at the query or at the key.
struct pair_leaf { int node; bool at_key; };

/// Writes the program of two roots (slope = -1: none). Leaf number l is operand first_leaf + l of the fold.
template <class T> pair_program<T> pair_program_of(graph_view g, int score, int slope, int first_leaf, std::vector<pair_leaf>& leaves) {
  pair_program<T> r;
  int const top = (std::max)(score, slope);
  std::vector<char> needed(static_cast<std::size_t>(top + 1), 0);
  std::vector<pair_operand> where(static_cast<std::size_t>(top + 1));
  auto is_pair = [&](int i) { return (g[i].axes & pair_bit) != 0; };
  for (int root : {score, slope}) if (root >= 0) needed[static_cast<std::size_t>(root)] = 1;
  for (int i = top; i >= 0; --i) {
    if (!needed[static_cast<std::size_t>(i)] || !is_pair(i) || g[i].kind == op::at_key) continue;
    for (int a = 0; a < g[i].nargs; ++a) if (g[i].arg[a] >= 0) needed[static_cast<std::size_t>(g[i].arg[a])] = 1;
  }
  auto leaf = [&](int node, bool at_key) {
    for (std::size_t l = 0; l < leaves.size(); ++l)
      if (leaves[l].node == node && leaves[l].at_key == at_key) return first_leaf + static_cast<int>(l);
    leaves.push_back({node, at_key});
    return first_leaf + static_cast<int>(leaves.size()) - 1;
  };
  for (int i = 0; i <= top; ++i) {
    if (!needed[static_cast<std::size_t>(i)]) continue;
    node const& x = g[i];
    pair_operand& here = where[static_cast<std::size_t>(i)];
    if (!is_pair(i)) { here = {pair_operand::query, leaf(i, false)}; continue; }
    if (x.kind == op::score) { here = {pair_operand::tile, 0}; continue; }
    if (x.kind == op::at_key) { here = {pair_operand::key, leaf(x.arg[0], true)}; continue; }
    typename pair_program<T>::step s;
    s.kind = x.kind;
    s.buffer = r.buffers++;
    if (x.kind != op::distance) {
      s.kernel = kernel_of<T>(x);
      if (!s.kernel) raise(error_kind::argument, message() << "a score cannot hold the operation " << op_name(x.kind));
      s.operands = x.nargs;
      s.flat = true;
      for (int a = 0; a < x.nargs; ++a) {
        s.in[a] = where[static_cast<std::size_t>(x.arg[a])];
        s.flat = s.flat && (s.in[a].kind == pair_operand::tile || (g[x.arg[a]].kind == op::constant));
      }
    }
    r.steps.push_back(s);
    here = {pair_operand::tile, s.buffer};
  }
  r.score = where[static_cast<std::size_t>(score)];
  if (slope >= 0) r.slope = where[static_cast<std::size_t>(slope)];
  return r;
}

/// The rows of a tile while it is evaluated.
template <class T> struct pair_tile {
  T* buffer;                     ///< tiles one after another, each of nq * nk
  T* const* operand;             ///< of the fold: query operands at row 0 of the tile, key operands packed to the tile's keys
  std::int64_t const* query_step;///< distance between the tile's queries, by operand
  std::int64_t nq, nk, query_lo, query_stride, key_lo;
  T const* row(pair_operand const& p, std::int64_t i, bool& scalar) const {
    scalar = p.kind == pair_operand::query;
    if (p.kind == pair_operand::tile) return buffer + p.index * nq * nk + i * nk;
    if (p.kind == pair_operand::key) return operand[p.index];
    return operand[p.index] + i * query_step[p.index];
  }
};

template <class T> void evaluate(pair_program<T> const& r, pair_tile<T> const& t) {
  for (auto const& s : r.steps) {
    T* const to = t.buffer + s.buffer * t.nq * t.nk;
    if (s.kind == op::distance) {
      for (std::int64_t i = 0; i < t.nq; ++i)
        for (std::int64_t j = 0; j < t.nk; ++j) to[i * t.nk + j] = static_cast<T>(t.query_lo + i * t.query_stride - t.key_lo - j);
      continue;
    }
    std::int64_t const rows = s.flat ? 1 : t.nq, n = s.flat ? t.nq * t.nk : t.nk;
    for (std::int64_t i = 0; i < rows; ++i) {
      T const* x[3] = {};
      unsigned scalar = 0;
      for (int a = 0; a < s.operands; ++a) {
        bool one = false;
        x[a] = t.row(s.in[a], i, one);
        if (one) scalar |= 1u << a;
      }
      s.kernel(to + i * n, x[0], x[1], x[2], scalar, n);
    }
  }
}

}  // namespace dyadic::cpu
