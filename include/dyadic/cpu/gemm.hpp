// c += a * b for matrices of any strides. Large products are packed into panels that the register tile reads one after another (the
// blocking of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication"); products of few rows read b where it lies.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dyadic/cpu/micro_kernel.hpp"
#include "dyadic/cpu/transpose.hpp"

namespace dyadic::cpu {

/// Packed copies of a block of the left side (in the second-level cache) and of the right side (shared between caches).
template <class T> struct gemm_room {
  // A block's sizes, whole tiles for every processor: units of one program that were compiled for different ones may share a room.
  static constexpr std::int64_t rows = 192, depth = 256, cols = 768, widest_tile = 32;
  static_assert(cols % tile_cols<T> == 0 && widest_tile % tile_cols<T> == 0 && rows % tile_rows == 0);
  std::vector<T> left, right;
  /// Makes the room for products of up to these sizes; afterwards they allocate nothing.
  void reserve(std::int64_t m, std::int64_t n, std::int64_t k) {
    std::int64_t const d = (std::min)(k, depth), tiles = (n + widest_tile - 1) / widest_tile;
    grow(left, (std::min)(m, rows) * d);
    grow(right, (std::min)(tiles * widest_tile, cols) * d);
  }

 private:
  static void grow(std::vector<T>& v, std::int64_t n) {
    if (static_cast<std::int64_t>(v.size()) < n) v.resize(static_cast<std::size_t>(n));
  }
};

namespace detail {

/// Few rows: b need not be packed.
inline constexpr std::int64_t few_rows = 2 * tile_rows, few_dots = 8;

template <class T> void multiply_plain(matrix<T> c, matrix<T const> a, matrix<T const> b) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) {
      T s = 0;
      for (std::int64_t k = 0; k < a.cols; ++k) s += a.p[i * a.row + k * a.col] * b.p[k * b.row + j * b.col];
      c.p[i * c.row + j * c.col] += s;
    }
}

/// Both sides run along memory in the summed axis: dot products, with nothing copied.
template <class T> void multiply_dots(matrix<T> c, matrix<T const> a, matrix<T const> b) {
  constexpr int R = dot_tile_rows;
  T out[R * tile_dots];
  for (std::int64_t j = 0; j < c.cols; j += tile_dots) {
    T const* right[tile_dots];
    for (int x = 0; x < tile_dots; ++x) right[x] = b.p + (std::min)(j + x, c.cols - 1) * b.col;
    std::int64_t const cols = (std::min<std::int64_t>)(tile_dots, c.cols - j);
    for (std::int64_t i = 0; i < c.rows; i += R) {
      std::int64_t const rows = (std::min<std::int64_t>)(R, c.rows - i);
      T const* left[R];
      for (int x = 0; x < R; ++x) left[x] = a.p + (i + (std::min<std::int64_t>)(x, rows - 1)) * a.row;
      if (rows == 1) dot_tile<T, 1>(left, right, a.cols, out);
      else dot_tile<T, R>(left, right, a.cols, out);
      T* const to = c.p + i * c.row + j * c.col;
      if (rows == R && cols == tile_dots) {
        unroll<R * tile_dots>([&](auto x) DYADIC_INLINE { to[x / tile_dots * c.row + x % tile_dots * c.col] += out[x]; });
        continue;
      }
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t q = 0; q < cols; ++q) to[r * c.row + q * c.col] += out[r * tile_dots + q];
    }
  }
}

/// A row times a matrix whose rows run along memory: sums of rows of b, four at a time.
template <class T> void multiply_row(T* c, T const* a, std::int64_t a_step, matrix<T const> b) {
  using v = vector_of<T>;
  constexpr int lanes = native_lanes<T>;
  for (std::int64_t k = 0; k < b.rows; k += 4) {
    T const* row[4];
    T x[4];
    for (int i = 0; i < 4; ++i) {
      bool const inside = k + i < b.rows;
      row[i] = b.p + (inside ? k + i : k) * b.row;
      x[i] = inside ? a[(k + i) * a_step] : T(0);
    }
    std::int64_t const some = (std::min<std::int64_t>)(4, b.rows - k);
    std::int64_t j = 0;
    if (some == 4)
      for (; j + lanes <= b.cols; j += lanes) {
        v r[4], s = load<v>(c + j);
        unroll<4>([&](auto i) DYADIC_INLINE { r[i] = load<v>(row[i] + j); });
        s += x[0] * r[0];
        s += x[1] * r[1];
        s += x[2] * r[2];
        s += x[3] * r[3];
        store<v>(c + j, s);
      }
    for (; j < b.cols; ++j)
      for (std::int64_t i = 0; i < some; ++i) c[j] += x[i] * row[i][j];
  }
}

/// to[k * width + x] = from[x * col + k] for x < n, k < depth: n columns, each along memory, as rows.
template <class T> void pack_turned(T* to, std::int64_t width, T const* from, std::int64_t col, std::int64_t n, std::int64_t depth) {
  constexpr std::int64_t lanes = native_lanes<T>;
  std::int64_t x = 0;
  for (; x + lanes <= n; x += lanes) {
    std::int64_t k = 0;
    for (; k + lanes <= depth; k += lanes) transpose_block(to + k * width + x, width, from + x * col + k, col);
    for (; k < depth; ++k) for (std::int64_t i = x; i < x + lanes; ++i) to[k * width + i] = from[i * col + k];
  }
  for (; x < n; ++x) for (std::int64_t k = 0; k < depth; ++k) to[k * width + x] = from[x * col + k];
}

/// Columns of b by tile_cols: for every k, tile_cols numbers, zeros beyond the last column.
template <class T> void pack_cols(T* to, matrix<T const> const& b) {
  constexpr std::int64_t width = tile_cols<T>;
  for (std::int64_t j = 0; j < b.cols; j += width, to += width * b.rows) {
    std::int64_t const n = (std::min)(width, b.cols - j);
    T const* from = b.p + j * b.col;
    if (n < width) std::fill(to, to + width * b.rows, T(0));
    if (b.col == 1 && n == width) {
      for (std::int64_t k = 0; k < b.rows; ++k)
        unroll<tile_vectors>([&](auto i) DYADIC_INLINE {
          store<vector_of<T>>(to + k * width + i * native_lanes<T>, load<vector_of<T>>(from + k * b.row + i * native_lanes<T>));
        });
    } else if (b.row == 1) {
      pack_turned(to, width, from, b.col, n, b.rows);
    } else {
      for (std::int64_t k = 0; k < b.rows; ++k)
        for (std::int64_t x = 0; x < n; ++x) to[k * width + x] = from[k * b.row + x * b.col];
    }
  }
}

inline std::int64_t rows_of_tile(std::int64_t left) { return left >= tile_rows ? tile_rows : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

/// The left side, a tile's rows after another's; for every k the rows of the tile.
template <class T> void pack_rows(T* to, matrix<T const> const& a) {
  for (std::int64_t i = 0; i < a.rows;) {
    std::int64_t const n = rows_of_tile(a.rows - i);
    T const* from = a.p + i * a.row;
    for (std::int64_t k = 0; k < a.cols; ++k, to += n, from += a.col)
      for (std::int64_t r = 0; r < n; ++r) to[r] = from[r * a.row];
    i += n;
  }
}

/// Rows of c times one panel of tile_cols columns. packed: a lies as pack_rows leaves it.
template <class T> void multiply_panel(matrix<T> c, matrix<T const> a, bool packed, T const* b, std::int64_t b_row) {
  T room[tile_rows * tile_cols<T>];
  bool const direct = c.col == 1 && c.cols == tile_cols<T>;
  for (std::int64_t i = 0; i < c.rows;) {
    std::int64_t const rows = rows_of_tile(c.rows - i), depth = a.cols, row = packed ? 1 : a.row, col = packed ? rows : a.col;
    T const* from = packed ? a.p + i * depth : a.p + i * a.row;
    T* to = c.p + i * c.row;
    std::int64_t step = c.row;
    if (!direct) {
      to = room;
      step = tile_cols<T>;
      std::fill(room, room + rows * step, T(0));
    }
    if (rows == tile_rows) multiply_tile<T, tile_rows>(from, row, col, b, b_row, depth, to, step);
    else if (rows == 4) multiply_tile<T, 4>(from, row, col, b, b_row, depth, to, step);
    else if (rows == 2) multiply_tile<T, 2>(from, row, col, b, b_row, depth, to, step);
    else multiply_tile<T, 1>(from, row, col, b, b_row, depth, to, step);
    if (!direct)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t q = 0; q < c.cols; ++q) c.p[(i + r) * c.row + q * c.col] += room[r * step + q];
    i += rows;
  }
}

template <class T> void multiply_blocks(matrix<T> c, matrix<T const> a, matrix<T const> b, gemm_room<T>& room) {
  using block = gemm_room<T>;
  constexpr std::int64_t width = tile_cols<T>;
  bool const in_place = b.col == 1 && c.rows <= few_rows, pack_left = a.col != 1;
  for (std::int64_t j = 0; j < c.cols; j += block::cols) {
    std::int64_t const n = (std::min)(block::cols, c.cols - j);
    for (std::int64_t k = 0; k < a.cols; k += block::depth) {
      std::int64_t const d = (std::min)(block::depth, a.cols - k);
      matrix<T const> const right{b.p + k * b.row + j * b.col, d, n, b.row, b.col};
      std::int64_t const whole = in_place ? n / width * width : 0;   // columns read where they are; the last few are packed
      pack_cols<T>(room.right.data() + whole * d, {right.p + whole * b.col, d, n - whole, b.row, b.col});
      for (std::int64_t i = 0; i < c.rows; i += block::rows) {
        matrix<T const> left{a.p + i * a.row + k * a.col, (std::min)(block::rows, c.rows - i), d, a.row, a.col};
        if (pack_left) {
          pack_rows(room.left.data(), left);
          left.p = room.left.data();
        }
        for (std::int64_t x = 0; x < n; x += width)
          multiply_panel<T>({c.p + i * c.row + (j + x) * c.col, left.rows, (std::min)(width, n - x), c.row, c.col}, left, pack_left,
                            x < whole ? right.p + x : room.right.data() + x * d, x < whole ? b.row : width);
      }
    }
  }
}

}  // namespace detail

/// c += a * b. Every sum runs in an order that depends on the sizes and strides alone. Allocates only when `room` is too small.
template <class T> void multiply(matrix<T> c, matrix<T const> a, matrix<T const> b, gemm_room<T>& room) {
  using namespace detail;
  constexpr std::int64_t lanes = native_lanes<T>;
  if (c.rows == 0 || c.cols == 0 || a.cols == 0) return;
  if (c.rows * c.cols * a.cols <= 64) return multiply_plain(c, a, b);
  // The vectors lie along the columns of c: the axis that is long enough, and runs along memory where there is a choice.
  bool const narrow = c.cols < lanes && c.rows > c.cols;
  if (narrow || (c.col != 1 && c.row == 1 && c.rows >= lanes)) {
    auto const t = a.transposed();
    c = c.transposed();
    a = b.transposed();
    b = t;
  }
  if (c.rows <= few_dots && a.col == 1 && b.row == 1 && a.cols >= lanes) return multiply_dots(c, a, b);
  if (c.rows == 1 && c.col == 1 && b.col == 1) return multiply_row(c.p, a.p, a.col, b);
  room.reserve(c.rows, c.cols, a.cols);
  multiply_blocks(c, a, b, room);
}

}  // namespace dyadic::cpu
