// Folds over the positions of an axis: a tile of queries times keys is one score matrix, its softmax weights, and matrix products.
// Whole statements, single rows of a token loop and the tiles of a tiled loop all go through the same tile.
#pragma once
#include <cmath>
#include "dyadic/cpu/gemm.hpp"
#include "dyadic/cpu/pair.hpp"
#include "dyadic/cpu/rows.hpp"

namespace dyadic::cpu {

/// One fold, ready to go. Its operands stand at the loops' positions of every axis but the folded one and the contracted one.
template <class T> struct fold_data {
  enum slot { result, query, key, value, lse, da, delta, self_score, self_value, maximum, total, first_leaf };
  static constexpr int max_operands = 24, max_outer = 10;
  struct operand {
    bool present = false, of_key = false;
    address of;
    along row;                   ///< the folded axis
    std::int64_t depth = 0;      ///< stride of the contracted axis
  };
  // of_result: the result has the axis; its stride does not tell, where the result has no elements.
  struct outer { std::int64_t n = 1; std::int8_t axis = -1; bool of_result = true; std::int64_t stride[max_operands]{}; };
  op kind{};
  int node = -1, axis = -1;
  std::int64_t depth = 1;        ///< extent of the contracted axis
  bool near_is_query = true, keys_earlier = true, tileable = false, active_queries = false;
  bool tiled = false;            ///< while its loop runs: sums arrive by tiles
  operand x[max_operands];
  int count = first_leaf, dims = 0;
  outer d[max_outer];
  pair_program<T> program;
  std::vector<pair_leaf> leaves; ///< of the program
  std::vector<T> tiles, keys;    ///< by worker: buffers of a tile; key operands of the program, packed
  std::int64_t tile_size = 0, keys_size = 0;
};

namespace detail {

/// Dot products of rows, or sums of rows, where a matrix product would only add overhead.
template <class T> void scores(gemm_room<T>& pack, T* s, matrix<T const> q, matrix<T const> k) {
  if (q.rows * k.rows <= 16 && q.col == 1 && k.col == 1) {
    for (std::int64_t i = 0; i < q.rows; ++i)
      for (std::int64_t j = 0; j < k.rows; ++j) s[i * k.rows + j] = dot(q.p + i * q.row, k.p + j * k.row, q.cols);
    return;
  }
  std::fill(s, s + q.rows * k.rows, T(0));
  multiply<T>({s, q.rows, k.rows, k.rows, 1}, q, k.transposed(), pack);
}
/// Whether a row has an infinity or a NaN, where 0 * it is not 0. x - x is 0 for finite numbers only.
template <class T> bool any_not_finite(matrix<T const> const& x) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    int bad = 0;
    for (std::int64_t j = 0; j < x.cols; ++j) {
      T const v = x.p[i * x.row + j * x.col];
      bad |= static_cast<int>(v - v != 0);
    }
    if (bad) return true;
  }
  return false;
}
template <class T> bool any_zero(matrix<T const> const& x) {
  int some = 0;
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) some |= static_cast<int>(x.p[i * x.row + j * x.col] == 0);
  return some != 0;
}
/// out += w * rows, w of out.rows x rows.rows. A weight of exactly 0 takes nothing of its row, whatever is in it: masked pairs.
template <class T> void add_rows(gemm_room<T>& pack, matrix<T> out, matrix<T const> w, matrix<T const> rows) {
  bool const few = w.rows * w.cols <= 16 && out.col == 1 && rows.col == 1;
  if (!few && !(any_zero(w) && any_not_finite(rows))) return multiply<T>(out, w, rows, pack);
  for (std::int64_t i = 0; i < w.rows; ++i)
    for (std::int64_t j = 0; j < w.cols; ++j) {
      T const a = w.p[i * w.row + j * w.col];
      T* const o = out.p + i * out.row;
      T const* const v = rows.p + j * rows.row;
      if (a != 0) for (std::int64_t c = 0; c < out.cols; ++c) o[c * out.col] += a * v[c * rows.col];
    }
}

template <class T> struct fold_tile {
  engine<T> const& e;
  fold_data<T>& f;
  gemm_room<T>& pack;
  T *tiles, *keys;
  T* p[fold_data<T>::max_operands]{};                       // at the current outer position, row 0 of the folded axis
  T* at[fold_data<T>::max_operands]{};                      // at the tile
  std::int64_t step[fold_data<T>::max_operands]{};          // between the tile's rows
  std::int64_t nq = 0, nk = 0;
  range queries{};
  std::int64_t key_lo = 0;
  pair_tile<T> pairs{};
  T *weights = nullptr, *change = nullptr;
  fold_tile(engine<T>& engine_, fold_data<T>& fold_, int worker)
      : e(engine_), f(fold_), pack(engine_.pack[static_cast<std::size_t>(worker)]), tiles(f.tiles.data() + worker * f.tile_size),
        keys(f.keys.data() + worker * f.keys_size) {
    for (int s = 0; s < f.count; ++s) if (f.x[s].present) p[s] = e.pointer(f.x[s].of);
  }

  /// Valid keys of the tile's query i: [from, to).
  void valid(std::int64_t i, std::int64_t& from, std::int64_t& to) const {
    std::int64_t const t = queries.lo + i * queries.step;
    from = f.keys_earlier ? 0 : std::clamp<std::int64_t>(t + 1 - key_lo, 0, nk);
    to = f.keys_earlier ? std::clamp<std::int64_t>(t - key_lo, 0, nk) : nk;
  }
  matrix<T> rows(int s) const { return {at[s], f.x[s].of_key ? nk : nq, f.depth, step[s], f.x[s].depth}; }
  matrix<T const> row_values(int s) const { return {at[s], f.x[s].of_key ? nk : nq, f.depth, step[s], f.x[s].depth}; }

  /// Moves to a tile and evaluates its scores.
  void score(range const& q, std::int64_t k0, std::int64_t n) {
    using fold = fold_data<T>;
    queries = q; nq = q.n; nk = n; key_lo = k0;
    std::int64_t const size = nq * nk;
    T* const b = tiles;
    weights = b + f.program.buffers * size;
    change = weights + size;
    T* packed = keys;
    for (int s = 0; s < f.count; ++s) {
      auto const& x = f.x[s];
      if (!x.present) continue;
      at[s] = p[s] + e.offset(x.row, x.of_key ? k0 : q.lo);
      step[s] = x.of_key ? x.row.stride : x.row.stride * q.step;
      if (s >= fold::first_leaf && x.of_key) {
        for (std::int64_t j = 0; j < nk; ++j) packed[j] = at[s][j * step[s]];
        at[s] = packed;
        packed += nk;
      }
    }
    scores(pack, b, row_values(fold::query), row_values(fold::key));
    pairs = {b, at, step, nq, nk, q.lo, q.step, k0};
    evaluate(f.program, pairs);
  }

  void attend() {
    using fold = fold_data<T>;
    bool any = false;
    for (std::int64_t i = 0; i < nq; ++i) {
      std::int64_t from, to;
      valid(i, from, to);
      T* const w = weights + i * nk;
      bool one = false;
      T const* const s = pairs.row(f.program.score, i, one);
      T& m = at[fold::maximum][i * step[fold::maximum]];
      T& l = at[fold::total][i * step[fold::total]];
      T top = m;
      if (one) { if (to > from) top = (std::max)(top, *s); }
      else for (std::int64_t j = from; j < to; ++j) top = (std::max)(top, s[j]);
      top = one ? most_or_nan(top, s, to > from, 1) : most_or_nan(top, s + from, to - from, 1);
      if (top == -infinity<T>) { std::fill(w, w + nk, T(0)); continue; }
      any = true;
      T const c = m == -infinity<T> ? T(0) : std::exp(m - top);
      std::fill(w, w + from, T(0));
      std::fill(w + to, w + nk, T(0));
      if (one) std::fill(w + from, w + to, std::exp(*s - top));
      else exp_rows(w + from, s + from, top, to - from);
      l = l * c + sum_of(w + from, to - from);
      m = top;
      T* const o = at[fold::result] + i * step[fold::result];
      if (c != 1) for (std::int64_t q = 0; q < f.depth; ++q) o[q * f.x[fold::result].depth] *= c;
    }
    if (any) add_rows<T>(pack, rows(fold::result), {weights, nq, nk, nk, 1}, row_values(fold::value));
  }

  void backward() {
    using fold = fold_data<T>;
    for (std::int64_t i = 0; i < nq; ++i) {
      std::int64_t from, to;
      valid(i, from, to);
      T* const w = weights + i * nk;
      T const lse = at[fold::lse][i * step[fold::lse]];
      if (lse == -infinity<T>) from = to = 0;
      std::fill(w, w + from, T(0));
      std::fill(w + to, w + nk, T(0));
      bool one = false;
      T const* const s = pairs.row(f.program.score, i, one);
      if (one) std::fill(w + from, w + to, std::exp(*s - lse));
      else exp_rows(w + from, s + from, lse, to - from);
    }
    matrix<T const> const w{weights, nq, nk, nk, 1}, da = row_values(fold::da);
    if (f.kind == op::attend_dv) return add_rows<T>(pack, rows(fold::result), w.transposed(), da);
    scores(pack, change, da, row_values(fold::value));
    for (std::int64_t i = 0; i < nq; ++i) {
      T* const c = change + i * nk;
      T const* const pw = weights + i * nk;
      T const delta = at[fold::delta][i * step[fold::delta]];
      bool one = false;
      T const* const slope = pairs.row(f.program.slope, i, one);
      if (one) for (std::int64_t j = 0; j < nk; ++j) c[j] = pw[j] == 0 ? T(0) : pw[j] * (c[j] - delta) * *slope;
      else for (std::int64_t j = 0; j < nk; ++j) c[j] = pw[j] == 0 ? T(0) : pw[j] * (c[j] - delta) * slope[j];
    }
    matrix<T const> const ds{change, nq, nk, nk, 1};
    T* const r = at[fold::result];
    std::int64_t const sr = step[fold::result];
    switch (f.kind) {
      case op::attend_dq: return add_rows<T>(pack, rows(fold::result), ds, row_values(fold::key));
      case op::attend_dk: return add_rows<T>(pack, rows(fold::result), ds.transposed(), row_values(fold::query));
      case op::attend_dscore_query: for (std::int64_t i = 0; i < nq; ++i) r[i * sr] += sum_of(change + i * nk, nk); return;
      default: for (std::int64_t i = 0; i < nq; ++i) for (std::int64_t j = 0; j < nk; ++j) r[j * sr] += change[i * nk + j]; return;
    }
  }

  void tile(range const& q, std::int64_t k0, std::int64_t n) {
    if (q.n <= 0 || n <= 0) return;
    score(q, k0, n);
    if (f.kind == op::attend) attend();
    else backward();
  }

  /// All pairs of queries and keys [k0, k1) that the direction allows, block by block.
  void pairs_of(range const& q, std::int64_t k0, std::int64_t k1) {
    std::int64_t const ring = f.x[fold_data<T>::key].row.ring;
    for (std::int64_t i = 0; i < q.n; i += e.query_block) {
      range const b{q.lo + i * q.step, (std::min)(e.query_block, q.n - i), q.step};
      std::int64_t const last = b.lo + (b.n - 1) * b.step;
      std::int64_t from = f.keys_earlier ? k0 : (std::max)(k0, b.lo + 1), to = f.keys_earlier ? (std::min)(k1, last) : k1;
      if (ring) from = (std::max)(from, last - ring);
      for (std::int64_t k = from; k < to;) {
        std::int64_t n = (std::min)(e.key_block, to - k);
        if (ring) n = (std::min)(n, ring - k % ring);
        tile(b, k, n);
        k += n;
      }
    }
  }
};

/// A fold's outer axes: those that the result has, whose positions are independent, and those whose positions are summed in order.
template <class T> struct fold_outer {
  struct loop { std::int64_t n, step; int dim; };
  loop kept[fold_data<T>::max_outer], gone[fold_data<T>::max_outer];
  int kept_dims = 0, gone_dims = 0;
  std::int64_t positions = 1, sums = 1;
  fold_outer(engine<T> const& e, fold_data<T> const& f) {
    for (int q = 0; q < f.dims; ++q) {
      auto const& d = f.d[q];
      loop const l{d.axis >= 0 ? e.at[d.axis].n : d.n, d.axis >= 0 ? e.at[d.axis].step : 1, q};
      bool const has = d.of_result;
      (has ? kept[kept_dims++] : gone[gone_dims++]) = l;
      (has ? positions : sums) *= l.n;
    }
  }
  /// Moves a tile by `by` positions of a loop.
  static void move(fold_tile<T>& t, loop const& l, std::int64_t by) {
    for (int s = 0; s < t.f.count; ++s) t.p[s] += by * l.step * t.f.d[l.dim].stride[s];
  }
  /// To position number `i`; t.p as they are at number 0.
  void move_to(fold_tile<T>& t, std::int64_t i) const {
    for (int q = kept_dims; q-- > 0; i /= kept[q].n) move(t, kept[q], i % kept[q].n);
  }
  /// Calls g for every position that is summed.
  template <class G> void each_sum(fold_tile<T>& t, G&& g) const {
    if (sums == 0) return;
    std::int64_t at[fold_data<T>::max_outer]{};
    for (;;) {
      g();
      int q = gone_dims - 1;
      for (; q >= 0; --q) {
        bool const more = ++at[q] < gone[q].n;
        move(t, gone[q], more ? 1 : -(gone[q].n - 1));
        if (more) break;
        at[q] = 0;
      }
      if (q < 0) return;
    }
  }
};

/// Calls g(tile, rows, each_sum) for the near rows of every position of the result's outer axes, in blocks. `work`: nanoseconds a row.
template <class T, class G> void each_near(engine<T>& e, fold_data<T>& f, range const& near, double work, G&& g) {
  fold_outer<T> const outer(e, f);
  if (near.n <= 0 || outer.positions == 0) return;
  std::int64_t const block = f.near_is_query ? e.query_block : e.key_block, blocks = (near.n + block - 1) / block;
  std::int64_t const items = outer.positions * blocks;
  pieces const part(items, e.on.parts(work * static_cast<double>(outer.positions * (std::max<std::int64_t>)(outer.sums, 1) * near.n)));
  e.on.run(part.count, [&](std::int64_t number, int worker) {
    std::int64_t const end = part.begin(number) + part.length(number);
    fold_tile<T> t(e, f, worker);
    T* first_position[fold_data<T>::max_operands];
    std::copy(t.p, t.p + f.count, first_position);
    for (std::int64_t i = part.begin(number); i < end;) {
      std::int64_t const position = i / blocks, first = i % blocks, last = (std::min)(blocks, first + end - i);
      std::copy(first_position, first_position + f.count, t.p);
      outer.move_to(t, position);
      range const rows{near.lo + first * block * near.step, (std::min)(last * block, near.n) - first * block, near.step};
      g(t, rows, [&](auto&& h) { outer.each_sum(t, h); });
      i += last - first;
    }
  });
}

}  // namespace detail

}  // namespace dyadic::cpu
