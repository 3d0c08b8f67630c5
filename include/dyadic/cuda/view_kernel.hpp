// Ops that move elements: window, pick, place, if_empty, split, merge, rotate_half, keep. A thread a result, which knows where it comes
// from.
#pragma once
#include "dyadic/cuda/context.hpp"

namespace dyadic::cuda {

template <class T> struct view_arguments {
  T* r;
  T const* x;                         ///< nullptr: zeros
  op kind;
  bool pairs;                         ///< of rotate_half: neighbours turn, not halves
  bool own_inside;                    ///< the op's own axes vary fastest
  loops<2> rest;                      ///< result, operand: axes that the op does not look at
  std::int64_t n[2]{1, 1}, r_stride[2]{}, x_stride[2]{};   ///< its own axes, of the result
  std::int64_t shift = 0, extent = 0, width = 1;           ///< or: the position; the operand's extent; of a chunk, or the part that rotates
};

namespace detail {
/// The operand's offset for a result's position along the own axes; false: 0.
template <class T> __device__ __forceinline__ bool source_of(view_arguments<T> const& a, std::int64_t p, std::int64_t q, std::int64_t& from,
                                                             T& sign) {
  switch (a.kind) {
    case op::window: p += a.shift; from = p * a.x_stride[0]; return p >= 0 && p < a.extent;
    case op::place: from = 0; return p == a.shift;
    case op::split: p = p * a.width + q; from = p * a.x_stride[0]; return p < a.extent;
    case op::merge: from = p / a.width * a.x_stride[0] + p % a.width * a.x_stride[1]; return p / a.width < a.extent;
    case op::rotate_half: {
      if (p >= a.width) return false;
      std::int64_t const half = a.width / 2;
      bool const first = a.pairs ? p % 2 == 0 : p < half;
      from = (first ? p + (a.pairs ? 1 : half) : p - (a.pairs ? 1 : half)) * a.x_stride[0];
      if (first) sign = T(-1);
      return true;
    }
    default: from = 0; return true;
  }
}
}  // namespace detail

template <class T> __global__ void __launch_bounds__(block_threads) move_elements(__grid_constant__ const view_arguments<T> a) {
  std::int64_t const rest = a.rest.size(), own = a.n[0] * a.n[1];
  DYADIC_CUDA_EACH(i, rest * own) {
    std::int64_t const k = a.own_inside ? i % own : i / rest, line = a.own_inside ? i / own : i % rest;
    std::int64_t const p = k / a.n[1], q = k % a.n[1];
    std::int64_t at[2], from = 0;
    a.rest.at(line, at);
    T sign = 1, value = 0;
    if (a.x && detail::source_of(a, p, q, from, sign)) value = sign * a.x[at[1] + from];
    a.r[at[0] + p * a.r_stride[0] + q * a.r_stride[1]] = value;
  }
}

template <class T> void enqueue_view(context<T> const& c, int i) {
  node const& w = c.g[i];
  int x = w.arg[0];
  auto bit = [](int axis) { return axis >= 0 ? bit_of(axis) : axis_set{0}; };
  auto from_end = [&](std::int64_t n) { auto const v = static_cast<std::int64_t>(w.value); return v < 0 ? n + v : v; };
  view_arguments<T> a{};
  a.kind = w.kind;
  a.pairs = w.slot != 0;
  axis_set own = 0;
  auto own_axis = [&](int k, int axis) { own |= bit(axis); a.n[k] = c.e.of[axis]; a.r_stride[k] = c.stride(i, axis); };
  auto from_axis = [&](int k, int axis) { a.x_stride[k] = c.stride(x, axis); };
  std::int64_t start = 0;
  bool zero = false;
  switch (w.kind) {
    case op::window:
      own_axis(0, w.axis); from_axis(0, w.aux);
      a.shift = static_cast<std::int64_t>(w.value) + (w.inner >= 0 ? w.slot * c.e.of[w.inner] : 0);
      a.extent = c.e.of[w.aux];
      break;
    case op::pick: {
      std::int64_t const n = c.e.of[w.axis], t = from_end(n);
      if (n == 0 && w.nargs > 1) { x = w.arg[1]; break; }
      zero = t < 0 || t >= n;
      if (!zero) start = t * c.stride(x, w.axis);
      break;
    }
    case op::if_empty: zero = c.e.of[w.axis] != 0; break;
    case op::place: own_axis(0, w.axis); a.shift = from_end(c.e.of[w.axis]); break;
    case op::split:
      own_axis(0, w.aux); own_axis(1, w.inner); from_axis(0, w.axis);
      a.width = c.e.of[w.inner]; a.extent = c.e.of[w.axis];
      break;
    case op::merge:
      own_axis(0, w.axis); from_axis(0, w.aux); from_axis(1, w.inner);
      a.width = c.e.of[w.inner]; a.extent = c.e.of[w.aux];
      break;
    case op::rotate_half:
      own_axis(0, w.axis); from_axis(0, w.axis);
      a.width = w.value >= 0 && w.value < static_cast<double>(a.n[0]) ? static_cast<std::int64_t>(w.value) / 2 * 2 : a.n[0] / 2 * 2;
      break;
    default: break;   // keep: a copy
  }
  a.rest = c.over(w.axes & ~own, i, x);
  a.r = c.pointer(i);
  a.x = zero ? nullptr : c.pointer(x) + start;
  a.own_inside = a.rest.dims == 0 || a.r_stride[a.n[1] > 1 ? 1 : 0] == 1;
  std::int64_t const all = a.rest.size() * a.n[0] * a.n[1];
  if (all > 0) move_elements<T><<<blocks_for(all), block_threads, 0, c.stream>>>(a);
}

}  // namespace dyadic::cuda
