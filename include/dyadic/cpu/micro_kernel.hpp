// The innermost loops of matrix products: a tile of results held in registers while the summed axis streams by.
//
// Every accumulator has a constant index from the first pass of the compiler on (`unroll` expands a pack, it is not a loop): an array
// walked by a loop ends on the stack, at one store per multiplication. A row of the right side is pinned to registers, or g++ reads it
// from memory once for every row of the left. benchmarks/disassembly.sh looks at what became of both.
#pragma once
#include "dyadic/cpu/matrix.hpp"
#include "dyadic/cpu/transpose.hpp"
#include "dyadic/cpu/unroll.hpp"
#include "dyadic/cpu/vector.hpp"

namespace dyadic::cpu {

/// Rows and vectors of the largest register tile: as many accumulators as leave room for a row of the right side and a factor.
#if defined(__AVX512F__)
inline constexpr int tile_rows = 8, tile_vectors = 2;
#elif defined(__AVX__)
inline constexpr int tile_rows = 6, tile_vectors = 2;
#else
inline constexpr int tile_rows = 4, tile_vectors = 2;
#endif
template <class T> inline constexpr int tile_cols = tile_vectors * native_lanes<T>;
inline constexpr int tile_dots = 4, dot_tile_rows = tile_rows > 6 ? 4 : 2;

namespace detail {

/// How many panels of tile_cols columns a tile of few rows takes at once: as many accumulators as a multiplication's latency keeps busy.
constexpr int panels_of(int rows) {
  constexpr int accumulators = tile_rows * tile_vectors;
  int p = 1;
  while (p < 4 && 2 * p * rows * tile_vectors <= accumulators) p *= 2;
  return p;
}

/// c += a * b, or c = a * b where c is fresh, for a tile of R rows and P panels of tile_cols columns, `depth` products a sum. a: any
/// strides. b, c: rows b_row and c_row apart; b's panels lie `panel` apart, c's one after another.
template <class T, int R, int P = 1>
void multiply_tile(T const* a, std::int64_t a_row, std::int64_t a_col, T const* b, std::int64_t b_row, std::int64_t panel,
                   std::int64_t depth, T* c, std::int64_t c_row, bool fresh) {
  using vector = vector_of<T>;
  constexpr int V = P * tile_vectors, lanes = native_lanes<T>;
  vector sum[R * V];
  T const *row[R], *from[P];
  unroll<R * V>([&](auto i) DYADIC_INLINE { sum[i] = vector{}; });
  unroll<R>([&](auto i) DYADIC_INLINE { row[i] = a + i * a_row; });
  unroll<P>([&](auto i) DYADIC_INLINE { from[i] = b + i * panel; });
  for (std::int64_t k = 0, o = 0; depth > 0; --depth, k += a_col, o += b_row) {
    if constexpr (R < V) {   // the fewer stay in registers: here the factors
      T left[R];
      unroll<R>([&](auto i) DYADIC_INLINE { left[i] = row[i][k]; });
      unroll<V>([&](auto j) DYADIC_INLINE {
        vector right = load<vector>(from[j / tile_vectors] + o + j % tile_vectors * lanes);
        if (R > 1) pin(right);
        unroll<R>([&](auto i) DYADIC_INLINE { sum[i * V + j] += left[i] * right; });
      });
    } else {
      vector right[V];
      unroll<V>([&](auto j) DYADIC_INLINE {
        right[j] = load<vector>(from[j / tile_vectors] + o + j % tile_vectors * lanes);
        pin(right[j]);
      });
      unroll<R * V>([&](auto i) DYADIC_INLINE { sum[i] += row[i / V][k] * right[i % V]; });
    }
  }
  unroll<R * V>([&](auto i) DYADIC_INLINE {
    T* const to = c + (i / V) * c_row + (i % V) * lanes;
    store<vector>(to, fresh ? sum[i] : load<vector>(to) + sum[i]);
  });
}

/// Dot products of R rows of a with tile_dots rows of b, each `depth` numbers one after another; out: R x tile_dots. Pointers may repeat.
template <class T, int R> void dot_tile(T const* const* a, T const* const* b, std::int64_t depth, T* out) {
  using vector = vector_of<T>;
  constexpr int C = tile_dots, lanes = native_lanes<T>;
  vector sum[R * C];
  T const *x[R], *y[C];
  unroll<R * C>([&](auto i) DYADIC_INLINE { sum[i] = vector{}; });
  unroll<R>([&](auto r) DYADIC_INLINE { x[r] = a[r]; });
  unroll<C>([&](auto j) DYADIC_INLINE { y[j] = b[j]; });
  std::int64_t k = 0;
  for (; k + lanes <= depth; k += lanes) {
    vector left[R];
    unroll<R>([&](auto r) DYADIC_INLINE { left[r] = load<vector>(x[r] + k); });
    unroll<C>([&](auto j) DYADIC_INLINE {
      vector right = load<vector>(y[j] + k);
      if (R > 1) pin(right);
      unroll<R>([&](auto r) DYADIC_INLINE { sum[r * C + j] += left[r] * right; });
    });
  }
  if (k < depth) {
    unroll<R * C>([&](auto i) DYADIC_INLINE {
      sum[i] += load_first<vector>(x[i / C] + k, depth - k) * load_first<vector>(y[i % C] + k, depth - k);
    });
  }
  unroll<R>([&](auto r) DYADIC_INLINE { sums_of_four(out + r * C, sum + r * C); });
}

}  // namespace detail

}  // namespace dyadic::cpu
