// Folds of many near rows: the near side lies along the lanes of vectors, tile_cols rows of it a panel, turned once; the far side passes
// by in blocks of rows. Scores of a panel are far rows times the panel, sums of a panel the turned far rows times its weights: no
// product needs its operands packed anew, softmax is one vector operation for many queries, and pairs without order cost at most a
// corner of a panel.
#pragma once
#include "dyadic/cpu/fold_cursor.hpp"

namespace dyadic::cpu::detail {

template <class T> struct wide_fold {
  using fold = fold_data<T>;
  static constexpr std::int64_t cols = tile_cols<T>;
  fold_cursor<T>& c;
  fold const& f;
  fold_room<T> const& room;
  range near{};
  bool broken = false;           // some row of the far block has an infinity or a NaN
  bool copied = false;

  explicit wide_fold(fold_cursor<T>& at) : c(at), f(at.f), room(at.room) {}
  std::int64_t sums_depth() const { return f.has_depth() ? f.depth : 1; }
  static matrix<T const> turned(matrix<T> const& m) { return {m.p, m.cols, m.rows, m.col, m.row}; }

  /// Takes up to near_block near rows with all far rows of a range.
  void run(range const& rows, range const& far) {
    near = rows;
    open();
    std::int64_t const panels = (near.n + cols - 1) / cols;
    c.each_far_block(near, far, f.far_block, [&](range const& block, range const& next) {
      copied = false;
      c.gather_leaves(false, block);
      for (std::int64_t i = 0; i < panels; ++i) {
        std::int64_t const from = next.n * i / panels, to = next.n * (i + 1) / panels;
        prefetch(f.far_score(), {next.lo + from * next.step, to - from, next.step});
        prefetch(f.far_change(), {next.lo + from * next.step, to - from, next.step});
        panel(i * cols, block);
      }
    });
    close();
  }

 private:
  void open() {
    pack_cols<T>(room.near[0], turned(c.rows(f.near_score(), near)));
    if (f.changes()) pack_cols<T>(room.near[1], turned(c.rows(f.near_change(), near)));
    pack_cols<T>(room.sums, turned(c.rows(fold::result, near)));
    if (f.kind == op::attend) {
      c.gather(room.near_value[0], fold::maximum, near);
      c.gather(room.near_value[1], fold::total, near);
    } else if (f.near_is_query) {
      c.gather_statistics(room.near_value[0], room.near_value[1], near);
    }
    c.gather_leaves(true, near);
  }
  void close() {
    matrix<T> const to = c.rows(fold::result, near);
    std::int64_t const depth = sums_depth();
    for (std::int64_t i = 0; i < near.n; i += cols) {
      std::int64_t const n = (std::min)(cols, near.n - i);
      T const* const from = room.sums + i * depth;
      T* const o = to.p + i * to.row;
      if (to.col == 1) pack_turned(o, to.row, from, cols, depth, n);
      else for (std::int64_t x = 0; x < n; ++x) for (std::int64_t k = 0; k < depth; ++k) o[x * to.row + k * to.col] = from[k * cols + x];
    }
    if (f.kind != op::attend) return;
    scatter(fold::maximum, room.near_value[0]);
    scatter(fold::total, room.near_value[1]);
  }
  void scatter(int s, T const* from) {
    T* const to = c.p[s] + c.e.offset(f.x[s].row, near.lo);
    for (std::int64_t i = 0; i < near.n; ++i) to[i * f.x[s].row.stride * near.step] = from[i];
  }

  /// Rows of the next block come while this one's panels are computed: rows far apart are not what a processor expects by itself.
  void prefetch(int s, range const& r) const {
    if (r.n <= 0 || f.x[s].depth != 1) return;
    matrix<T const> const m = c.values(s, r);
    for (std::int64_t i = 0; i < m.rows; ++i)
      for (std::int64_t k = 0; k < m.cols; k += 64 / static_cast<std::int64_t>(sizeof(T))) __builtin_prefetch(m.p + i * m.row + k, 0, 2);
  }
  /// Copies rows one behind the other. Notes which ones are not finite: x - x is 0 for finite numbers only.
  void copy(T* to, matrix<T const> const& from, bool check) {
    using V = vector_of<T>;
    constexpr std::int64_t lanes = native_lanes<T>;
    if (check) broken = false;
    for (std::int64_t i = 0; i < from.rows; ++i, to += from.cols) {
      T const* const x = from.p + i * from.row;
      V odd{};
      T rest = 0;
      std::int64_t k = 0;
      if (from.col == 1)
        for (; k + lanes <= from.cols; k += lanes) {
          V const v = load<V>(x + k);
          store<V>(to + k, v);
          odd += v - v;
        }
      for (; k < from.cols; ++k) {
        to[k] = x[k * from.col];
        rest += to[k] - to[k];
      }
      if (!check) continue;
      bool const bad = rest != 0 || any(odd != V{});
      room.far_value[2][i] = bad;
      broken = broken || bad;
    }
  }
  void copy_far(range const& far) {
    if (copied) return;
    copied = true;
    copy(room.far[0], c.values(f.far_score(), far), f.has_depth() && f.summed_is_score());
    if (f.kind == op::attend || f.kind == op::attend_dv || f.changes())
      copy(room.far[1], c.values(f.far_change(), far), f.has_depth() && !f.summed_is_score());
    if (f.kind != op::attend && !f.near_is_query) c.gather_statistics(room.far_value[0], room.far_value[1], far);
  }

  /// out (rows x cols) = far rows times a panel.
  void product(T* out, T const* far, std::int64_t rows, T const* panel_of) {
    if (f.depth == 0) return std::fill(out, out + rows * cols, T(0));
    multiply_panels<T>({out, rows, cols, cols, 1}, {far, rows, f.depth, f.depth, 1}, false, panel_of, cols, 0, true);
  }
  /// The panel's sums += the turned far rows from `first` on times weights. A weight of exactly 0 takes nothing of its row, whatever is in
  /// it: masked pairs.
  void add(T* sums, T const* far, T const* w, std::int64_t first, std::int64_t rows) {
    auto some = [&](std::int64_t from, std::int64_t to) {
      if (to > from && f.depth > 0)
        multiply_panels<T>({sums, f.depth, cols, cols, 1}, {far + from * f.depth, f.depth, to - from, 1, f.depth}, false, w + from * cols,
                           cols, 0, false);
    };
    if (!broken) return some(0, rows);
    std::int64_t from = 0;
    for (std::int64_t j = 0; j < rows; ++j) {
      if (room.far_value[2][first + j] == 0) continue;
      some(from, j);
      from = j + 1;
      for (std::int64_t x = 0; x < cols; ++x) {
        T const a = w[j * cols + x];
        if (a != 0) for (std::int64_t k = 0; k < f.depth; ++k) sums[k * cols + x] += a * far[j * f.depth + k];
      }
    }
    some(from, rows);
  }

  /// Scores of pairs that have no order become -inf. `first`: of the tile's far rows.
  void mask(T* s, range const& lanes, range const& far) {
    std::int64_t const last = lanes.lo + (lanes.n - 1) * lanes.step;
    for (std::int64_t j = 0; j < far.n; ++j) {
      std::int64_t const t = far.lo + j * far.step;
      T* const row = s + j * cols;
      if (f.far_earlier() ? t < lanes.lo : t > last) continue;
      if (f.far_earlier()) std::fill(row, row + (std::min)((t - lanes.lo) / lanes.step + 1, cols), -infinity<T>);
      else std::fill(row + (t <= lanes.lo ? 0 : (t - lanes.lo + lanes.step - 1) / lanes.step), row + cols, -infinity<T>);
    }
  }

  void panel(std::int64_t i, range const& block) {
    range const lanes{near.lo + i * near.step, (std::min)(cols, near.n - i), near.step};
    range const far = c.paired(lanes, block);
    if (far.n <= 0) return;
    std::int64_t const first = (far.lo - block.lo) / block.step;
    T const* leaf[fold::max_operands];
    T* const tiles = room.tiles;
    pair_tile<T> t{tiles, room.tile, far.n, cols, leaf, f.near_is_query, c.distance(lanes.lo, far.lo),
                   c.distance(0, far.step), c.distance(lanes.step, 0)};
    pair_choice<T> choice;
    c.leaves_at(leaf, i, first);
    choose(choice, f.program, t, lanes.n);
    if (choice.never) return;
    copy_far(block);
    T const *const a = room.far[0] + first * f.depth, *const b = room.far[1] + first * f.depth;
    product(tiles, a, far.n, room.near[0] + i * f.depth);
    evaluate(f.program, choice, f.leaves, t);
    T* const weights = tiles + f.program.buffers * room.tile;
    T* scores = tiles + choice.score.index * room.tile;
    if (choice.score.kind == pair_operand::uniform) {
      scores = weights;
      std::fill(scores, scores + far.n * cols, *leaf[choice.score.index]);
    }
    mask(scores, lanes, far);
    T* const sums = room.sums + i * sums_depth();
    if (f.kind == op::attend) attend(scores, sums, i, b, first, far.n);
    else backward(scores, weights, choice.slope, leaf, sums, i, a, b, first, far.n);
  }

  void attend(T* scores, T* sums, std::int64_t i, T const* values, std::int64_t first, std::int64_t rows) {
    using V = vector_of<T>;
    bool rescale = false;
    T* const scale = room.near_value[2] + i;
    bool const some = weigh_columns<T>(scores, rows, {room.near_value[0] + i, room.near_value[1] + i, scale}, rescale);
    if (rescale) {
      V by[tile_vectors];
      unroll<tile_vectors>([&](auto v) DYADIC_INLINE { by[v] = load<V>(scale + v * native_lanes<T>); });
      for (std::int64_t k = 0; k < f.depth; ++k)
        unroll<tile_vectors>([&](auto v) DYADIC_INLINE {
          T* const at = sums + k * cols + v * native_lanes<T>;
          store<V>(at, load<V>(at) * by[v]);
        });
    }
    if (some) add(sums, values, scores, first, rows);
  }

  void backward(T* scores, T* weights, pair_operand const& slope_at, T const* const* leaf, T* sums, std::int64_t i, T const* a, T const* b,
                std::int64_t first, std::int64_t rows) {
    T* const change = f.changes() ? weights + room.tile : nullptr;
    if (change) product(change, b, rows, room.near[1] + i * f.depth);
    bool const uniform = slope_at.kind == pair_operand::uniform, by_row = !f.near_is_query;
    T const* const slope = uniform ? leaf[slope_at.index] : room.tiles + slope_at.index * room.tile;
    query_statistics<T> const q{by_row ? room.far_value[0] + first : room.near_value[0] + i,
                                by_row ? room.far_value[1] + first : room.near_value[1] + i, by_row};
    weigh_pairs<T>(weights, change, scores, slope, uniform, q, rows, cols);
    if (f.has_depth()) return add(sums, f.summed_is_score() ? a : b, change ? change : weights, first, rows);
    for (std::int64_t j = 0; j < rows; ++j) for (std::int64_t x = 0; x < cols; ++x) sums[x] += change[j * cols + x];
  }
};

}  // namespace dyadic::cpu::detail
