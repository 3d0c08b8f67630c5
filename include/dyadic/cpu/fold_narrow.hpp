// Folds of a few near rows, down to one (a token of a decoder): the far side lies along the lanes of vectors; products read it in place.
#pragma once
#include "dyadic/cpu/fold_cursor.hpp"

namespace dyadic::cpu::detail {

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
/// s = q * k^T: dot products of rows, where a matrix product would only add overhead.
template <class T> void dot_rows(gemm_room<T>& pack, matrix<T> s, matrix<T const> q, matrix<T const> k) {
  if (q.rows * k.rows > 16 || q.col != 1 || k.col != 1) return multiply<T>(s, q, k.transposed(), pack, true);
  for (std::int64_t i = 0; i < q.rows; ++i)
    for (std::int64_t j = 0; j < k.rows; ++j) s.p[i * s.row + j] = dot(q.p + i * q.row, k.p + j * k.row, q.cols);
}

template <class T> struct narrow_fold {
  using fold = fold_data<T>;
  fold_cursor<T>& c;
  fold const& f;
  fold_room<T> const& room;
  range near{}, far{};
  std::int64_t stride = 0;       // between rows of a tile

  explicit narrow_fold(fold_cursor<T>& at) : c(at), f(at.f), room(at.room) {}

  /// Takes up to few_near near rows with all far rows of a range.
  void run(range const& rows, range const& all) {
    near = rows;
    if (f.kind != op::attend && f.near_is_query) c.gather_statistics(room.near_value[0], room.near_value[1], near);
    c.gather_leaves(true, near);
    c.each_far_block(near, all, room.far_size, [&](range const& block, range const&) {
      far = block;
      tile();
    });
  }

 private:
  matrix<T const> of(T const* p) const { return {p, near.n, far.n, stride, 1}; }

  /// Far rows that pair with near row i: [from, to).
  void paired(std::int64_t i, std::int64_t& from, std::int64_t& to) const {
    range const r = c.paired({near.lo + i * near.step, 1, 1}, far);
    from = (r.lo - far.lo) / far.step;
    to = from + r.n;
  }

  void tile() {
    constexpr std::int64_t lanes = native_lanes<T>;
    stride = (far.n + lanes - 1) / lanes * lanes;
    T const* leaf[fold::max_operands];
    T* const tiles = room.tiles;
    pair_tile<T> const t{tiles, room.tile, near.n, stride, leaf, !f.near_is_query, c.distance(near.lo, far.lo), c.distance(near.step, 0),
                         c.distance(0, far.step)};
    pair_choice<T> choice;
    c.gather_leaves(false, far);
    c.leaves_at(leaf, 0, 0);
    choose(choice, f.program, t, far.n);
    if (choice.never) return;
    dot_rows<T>(c.pack, {tiles, near.n, far.n, stride, 1}, c.values(f.near_score(), near), c.values(f.far_score(), far));
    evaluate(f.program, choice, f.leaves, t);
    T* const weights = tiles + f.program.buffers * room.tile;
    T* scores = tiles + choice.score.index * room.tile;
    if (choice.score.kind == pair_operand::uniform) {
      scores = weights;
      std::fill(scores, scores + near.n * stride, *leaf[choice.score.index]);
    }
    if (f.kind == op::attend) attend(scores);
    else backward(scores, weights, choice.slope, leaf);
  }

  void attend(T* scores) {
    auto at = [&](int s, std::int64_t i) -> T& { return c.p[s][c.e.offset(f.x[s].row, near.lo) + i * f.x[s].row.stride * near.step]; };
    matrix<T> const out = c.rows(fold::result, near);
    bool some = false;
    for (std::int64_t i = 0; i < near.n; ++i) {
      std::int64_t from, to;
      paired(i, from, to);
      T* const w = scores + i * stride;
      T &m = at(fold::maximum, i), &l = at(fold::total, i);
      T top = m;
      for (std::int64_t j = from; j < to; ++j) top = w[j] > top ? w[j] : top;
      top = most_or_nan(top, w + from, to - from, 1);
      if (top == -infinity<T>) { std::fill(w, w + far.n, T(0)); continue; }
      some = true;
      T const scale = m == -infinity<T> ? T(0) : std::exp(m - top);
      std::fill(w, w + from, T(0));
      std::fill(w + to, w + far.n, T(0));
      exp_rows(w + from, w + from, top, to - from);
      l = l * scale + sum_of(w + from, to - from);
      m = top;
      T* const o = out.p + i * out.row;
      if (scale != 1) for (std::int64_t k = 0; k < f.depth; ++k) o[k * out.col] *= scale;
    }
    if (some) add_rows<T>(c.pack, out, of(scores), c.values(fold::value, far));
  }

  void backward(T* scores, T* weights, pair_operand const& slope_at, T const* const* leaf) {
    bool const by_row = f.near_is_query;
    if (!by_row) c.gather_statistics(room.far_value[0], room.far_value[1], far);
    for (std::int64_t i = 0; i < near.n; ++i) {
      std::int64_t from, to;
      paired(i, from, to);
      std::fill(scores + i * stride, scores + i * stride + from, -infinity<T>);
      std::fill(scores + i * stride + to, scores + (i + 1) * stride, -infinity<T>);
    }
    T* const change = f.changes() ? weights + room.tile : nullptr;
    if (change) dot_rows<T>(c.pack, {change, near.n, far.n, stride, 1}, c.values(f.near_change(), near), c.values(f.far_change(), far));
    bool const uniform = slope_at.kind == pair_operand::uniform;
    T const* const slope = uniform ? leaf[slope_at.index] : room.tiles + slope_at.index * room.tile;
    T* const* const values = by_row ? room.near_value : room.far_value;
    weigh_pairs<T>(weights, change, scores, slope, uniform, {values[0], values[1], by_row}, near.n, stride);
    T const* const w = change ? change : weights;
    matrix<T> const out = c.rows(fold::result, near);
    if (f.has_depth()) return add_rows<T>(c.pack, out, of(w), c.values(f.summed(), far));
    for (std::int64_t i = 0; i < near.n; ++i) out.p[i * out.row] += sum_of(w + i * stride, far.n);
  }
};

}  // namespace dyadic::cpu::detail
