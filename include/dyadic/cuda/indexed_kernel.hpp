// gather: a thread a result. scatter, its transpose: a block takes a row of the result, looks through the indices in their order, and adds
// what belongs to it; a column is one thread's, so that no two meet and the order of a sum is that of the points.
#pragma once
#include "dyadic/cuda/context.hpp"

namespace dyadic::cuda {

namespace detail {
/// -1 for what is no position: negative, infinite, NaN.
template <class T> __device__ __forceinline__ std::int64_t index_of(T v) {
  return v >= 0 && v < T(0x1p62) ? static_cast<std::int64_t>(v) : -1;
}
}  // namespace detail

template <class T> struct gather_arguments {
  T* r;
  T const *x, *index;
  loops<3> all;                       ///< result, table, index
  std::int64_t n, x_stride;           ///< along the axis that is indexed
};
template <class T> __global__ void __launch_bounds__(block_threads) gather_elements(__grid_constant__ const gather_arguments<T> a) {
  DYADIC_CUDA_EACH(i, a.all.size()) {
    std::int64_t at[3];
    a.all.at(i, at);
    std::int64_t const j = detail::index_of(a.index[at[2]]);
    a.r[at[0]] = j >= 0 && j < a.n ? a.x[at[1] + j * a.x_stride] : T(0);
  }
}
template <class T> void enqueue_gather(context<T> const& c, int i) {
  node const& w = c.g[i];
  int const x = w.arg[0], y = w.arg[1];
  gather_arguments<T> a{c.pointer(i), c.pointer(x), c.pointer(y), {}, c.e.of[w.axis], c.stride(x, w.axis)};
  // The result may have the indexed axis from its index: along it the table's position is the index's.
  c.each_axis(w.axes, [&](int axis) {
    a.all.add(c.e.of[axis], {c.stride(i, axis), axis == w.axis ? 0 : c.stride(x, axis), c.stride(y, axis)});
  });
  if (a.all.size() > 0) gather_elements<T><<<blocks_for(a.all.size()), block_threads, 0, c.stream>>>(a);
}

template <class T> struct scatter_arguments {
  T* r;
  T const *x, *index;
  loops<3> kept;                      ///< result, operand, index: axes of the result that the index has
  loops<2> points;                    ///< operand, index: axes that are summed
  loops<2> row;                       ///< result, operand: the others
  std::int64_t n, r_stride;           ///< along the axis that is indexed
};
template <class T> __global__ void __launch_bounds__(block_threads) scatter_rows(__grid_constant__ const scatter_arguments<T> a) {
  __shared__ bool hit[block_threads];
  std::int64_t const rows = a.kept.size() * a.n, points = a.points.size(), columns = a.row.size();
  for (std::int64_t b = blockIdx.x; b < rows; b += gridDim.x) {
    std::int64_t const row = b % a.n;
    std::int64_t at[3];
    a.kept.at(b / a.n, at);
    T* const r = a.r + at[0] + row * a.r_stride;
    for (std::int64_t k = threadIdx.x; k < columns; k += block_threads) {
      std::int64_t here[2];
      a.row.at(k, here);
      r[here[0]] = T(0);
    }
    for (std::int64_t first = 0; first < points; first += block_threads) {
      std::int64_t const mine = first + threadIdx.x;
      std::int64_t point[2];
      bool mine_hits = false;
      if (mine < points) {
        a.points.at(mine, point);
        mine_hits = detail::index_of(a.index[at[2] + point[1]]) == row;
      }
      hit[threadIdx.x] = mine_hits;
      if (__syncthreads_or(mine_hits)) {
        std::int64_t const end = first + block_threads < points ? block_threads : points - first;
        for (std::int64_t k = threadIdx.x; k < columns; k += block_threads) {
          std::int64_t here[2];
          a.row.at(k, here);
          T total = r[here[0]];
          for (std::int64_t p = 0; p < end; ++p) {
            if (!hit[p]) continue;
            a.points.at(first + p, point);
            total += a.x[at[1] + point[0] + here[1]];
          }
          r[here[0]] = total;
        }
      }
      __syncthreads();   // before `hit` is written again
    }
  }
}
template <class T> void enqueue_scatter(context<T> const& c, int i) {
  node const& w = c.g[i];
  int const x = w.arg[0], y = w.arg[1];
  axis_set const own = bit_of(w.axis), shape = w.axes & ~own, all = c.g[x].axes | c.g[y].axes, gone = all & ~shape;
  // An axis of the operand may be the indexed one itself: summed, it is no axis of the result's rows.
  scatter_arguments<T> a{c.pointer(i), c.pointer(x), c.pointer(y), {}, {}, {}, c.e.of[w.axis], c.stride(i, w.axis)};
  a.kept = c.over(shape & c.g[y].axes, i, x, y);
  a.points = c.over(gone, x, y);
  a.row = c.over(shape & ~c.g[y].axes, i, x);
  std::int64_t const rows = a.kept.size() * a.n;
  if (rows > 0 && a.row.size() > 0) scatter_rows<T><<<blocks_for(rows, 1), block_threads, 0, c.stream>>>(a);
}

}  // namespace dyadic::cuda
