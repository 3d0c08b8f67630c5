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

/// Rows of the next tile when so many are left: the last two tiles share what they have, for a tile of few rows waits for its sums.
inline std::int64_t rows_of_tile(std::int64_t left) { return left >= 2 * tile_rows ? tile_rows : left > tile_rows ? (left + 1) / 2 : left; }

/// The left side, a tile's rows after another's; for every k the rows of the tile.
template <class T> void pack_rows(T* to, matrix<T const> const& a) {
  for (std::int64_t i = 0; i < a.rows;) {
    std::int64_t const n = rows_of_tile(a.rows - i);
    T const* from = a.p + i * a.row;
    if (a.row == 1 && n == tile_rows)
      for (std::int64_t k = 0; k < a.cols; ++k, to += n, from += a.col) __builtin_memcpy(to, from, tile_rows * sizeof(T));
    else
      for (std::int64_t k = 0; k < a.cols; ++k, to += n, from += a.col)
        for (std::int64_t r = 0; r < n; ++r) to[r] = from[r * a.row];
    i += n;
  }
}

template <class T>
using tile_function = void (*)(T const* a, std::int64_t a_row, std::int64_t a_col, T const* b, std::int64_t b_row, std::int64_t panel,
                               std::int64_t depth, T* c, std::int64_t c_row, bool fresh);
/// The tiles of 1, 2, ... rows: of one panel, and of panels_of(rows).
template <class T, class Rows = std::make_integer_sequence<int, tile_rows>> struct tiles;
template <class T, int... Row> struct tiles<T, std::integer_sequence<int, Row...>> {
  static constexpr tile_function<T> narrow[] = {&multiply_tile<T, Row + 1, 1>...};
  static constexpr tile_function<T> wide[] = {&multiply_tile<T, Row + 1, panels_of(Row + 1)>...};
};

/// c += a * b, or c = a * b where c is fresh. b's columns in panels of tile_cols, `panel` apart, their rows b_row apart; the last panel may
/// be read beyond c's columns. packed: a lies as pack_rows leaves it.
template <class T>
void multiply_panels(matrix<T> c, matrix<T const> a, bool packed, T const* b, std::int64_t b_row, std::int64_t panel, bool fresh) {
  constexpr std::int64_t width = tile_cols<T>;
  T room[tile_rows * width];
  std::int64_t const depth = a.cols, few = c.rows <= tile_rows ? c.rows : c.rows < 2 * tile_rows ? c.rows / 2 : tile_rows;
  std::int64_t const group = panels_of(static_cast<int>(few)) * width;   // panels that all rows take while they are in the nearest cache
  for (std::int64_t first = 0; first < c.cols; first += group) {
    std::int64_t const end = (std::min)(first + group, c.cols);
    for (std::int64_t i = 0; i < c.rows;) {
      std::int64_t const rows = rows_of_tile(c.rows - i), row = packed ? 1 : a.row, col = packed ? rows : a.col;
      T const* const from = packed ? a.p + i * depth : a.p + i * a.row;
      std::int64_t const wide = panels_of(static_cast<int>(rows)) * width;
      for (std::int64_t j = first; j < end;) {
        T const* const right = b + j / width * panel;
        T* const to = c.p + i * c.row + j * c.col;
        if (c.col == 1 && j + wide <= end) {
          tiles<T>::wide[rows - 1](from, row, col, right, b_row, panel, depth, to, c.row, fresh);
          j += wide;
          continue;
        }
        if (c.col == 1 && j + width <= end) {
          tiles<T>::narrow[rows - 1](from, row, col, right, b_row, panel, depth, to, c.row, fresh);
        } else {
          tiles<T>::narrow[rows - 1](from, row, col, right, b_row, panel, depth, room, width, true);
          std::int64_t const cols = (std::min)(width, end - j);
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t q = 0; q < cols; ++q) {
              T& x = to[r * c.row + q * c.col];
              x = fresh ? room[r * width + q] : x + room[r * width + q];
            }
        }
        j += width;
      }
      i += rows;
    }
  }
}

/// Rows of the left side by blocks, packed where they do not run along memory, times panels of the right side.
template <class T>
void multiply_left_blocks(matrix<T> c, matrix<T const> a, T const* b, std::int64_t b_row, std::int64_t panel, gemm_room<T>& room,
                          bool fresh) {
  bool const packed = a.col != 1 && c.rows > few_rows;
  for (std::int64_t i = 0; i < c.rows; i += gemm_room<T>::rows) {
    matrix<T const> left{a.p + i * a.row, (std::min)(gemm_room<T>::rows, c.rows - i), a.cols, a.row, a.col};
    if (packed) {
      pack_rows(room.left.data(), left);
      left.p = room.left.data();
    }
    multiply_panels<T>({c.p + i * c.row, left.rows, c.cols, c.row, c.col}, left, packed, b, b_row, panel, fresh);
  }
}

template <class T> void multiply_blocks(matrix<T> c, matrix<T const> a, matrix<T const> b, gemm_room<T>& room, bool fresh) {
  using block = gemm_room<T>;
  constexpr std::int64_t width = tile_cols<T>;
  bool const in_place = b.col == 1 && c.rows <= few_rows;
  for (std::int64_t j = 0; j < c.cols; j += block::cols) {
    std::int64_t const n = (std::min)(block::cols, c.cols - j);
    for (std::int64_t k = 0; k < a.cols; k += block::depth) {
      std::int64_t const d = (std::min)(block::depth, a.cols - k);
      matrix<T const> const left{a.p + k * a.col, c.rows, d, a.row, a.col}, right{b.p + k * b.row + j * b.col, d, n, b.row, b.col};
      matrix<T> const to{c.p + j * c.col, c.rows, n, c.row, c.col};
      std::int64_t const whole = in_place ? n / width * width : 0;   // columns read where they are; the last few are packed
      pack_cols<T>(room.right.data(), {right.p + whole * b.col, d, n - whole, b.row, b.col});
      if (whole > 0) multiply_left_blocks<T>({to.p, c.rows, whole, c.row, c.col}, left, right.p, b.row, width, room, fresh && k == 0);
      if (whole < n)
        multiply_left_blocks<T>({to.p + whole * c.col, c.rows, n - whole, c.row, c.col}, left, room.right.data(), width, width * d, room,
                                fresh && k == 0);
    }
  }
}

template <class T> void clear(matrix<T> c) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) c.p[i * c.row + j * c.col] = T(0);
}

}  // namespace detail

/// c += a * b, or c = a * b where c is fresh. Every sum runs in an order that depends on the sizes and strides alone. Allocates only when
/// `room` is too small.
template <class T> void multiply(matrix<T> c, matrix<T const> a, matrix<T const> b, gemm_room<T>& room, bool fresh = false) {
  using namespace detail;
  constexpr std::int64_t lanes = native_lanes<T>;
  if (c.rows == 0 || c.cols == 0) return;
  // The vectors lie along the columns of c: the axis that is long enough, and runs along memory where there is a choice.
  bool const narrow = c.cols < lanes && c.rows > c.cols;
  if (narrow || (c.col != 1 && c.row == 1 && c.rows >= lanes)) {
    auto const t = a.transposed();
    c = c.transposed();
    a = b.transposed();
    b = t;
  }
  bool const small = c.rows * c.cols * a.cols <= 64, dots = c.rows <= few_dots && a.col == 1 && b.row == 1 && a.cols >= lanes;
  bool const row = c.rows == 1 && c.col == 1 && b.col == 1;
  if (fresh && (small || dots || row)) clear(c);
  if (a.cols == 0) return;
  if (small) return multiply_plain(c, a, b);
  if (dots) return multiply_dots(c, a, b);
  if (row) return multiply_row(c.p, a.p, a.col, b);
  room.reserve(c.rows, c.cols, a.cols);
  multiply_blocks(c, a, b, room, fresh);
}

}  // namespace dyadic::cpu
