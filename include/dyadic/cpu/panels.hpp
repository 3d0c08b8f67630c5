// A right side of products that stays the same for many of them, packed once into the panels that the register tile reads one after
// another: tile_cols columns each, all their rows behind one another, zeros beyond the last column.
#pragma once
#include "dyadic/cpu/gemm.hpp"

namespace dyadic::cpu {

/// Elements that the panels of so many rows and columns take.
template <class T> constexpr std::int64_t panels_size(std::int64_t rows, std::int64_t cols) {
  return (cols + tile_cols<T> - 1) / tile_cols<T> * tile_cols<T> * rows;
}
/// Where the panel of column j begins; j is a multiple of tile_cols.
template <class T> constexpr std::int64_t panel_begin(std::int64_t rows, std::int64_t j) { return j * rows; }

/// Packs columns [begin, end) of b; begin is a multiple of tile_cols, and so is end, if it is not the last.
template <class T> void pack_panels(T* panels, matrix<T const> const& b, std::int64_t begin, std::int64_t end) {
  detail::pack_cols<T>(panels + panel_begin<T>(b.rows, begin), {b.p + begin * b.col, b.rows, end - begin, b.row, b.col});
}

/// c += a * b, or c = a * b where c is fresh; b's columns are packed, the first at `panels`. The sums run in an order that depends on the
/// sizes and strides alone. Allocates only when `room` is too small.
template <class T> void multiply_packed(matrix<T> c, matrix<T const> a, T const* panels, gemm_room<T>& room, bool fresh) {
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols == 0) {
    if (fresh) detail::clear(c);
    return;
  }
  std::int64_t const panel = tile_cols<T> * a.cols;
  bool const few = c.rows <= detail::few_rows;   // a panel is read once: there is nothing to keep near
  if (!few) room.reserve(c.rows, 0, a.cols);
  std::int64_t const step = few ? a.cols : gemm_room<T>::depth;
  for (std::int64_t k = 0; k < a.cols; k += step) {
    matrix<T const> const left{a.p + k * a.col, c.rows, (std::min)(step, a.cols - k), a.row, a.col};
    detail::multiply_left_blocks<T>(c, left, panels + k * tile_cols<T>, tile_cols<T>, panel, room, fresh && k == 0);
  }
}

}  // namespace dyadic::cpu
