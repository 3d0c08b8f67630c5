// argmax, and softmax and logsumexp along an axis that is not the innermost one: a thread a line.
#pragma once
#include "dyadic/cuda/apply.hpp"
#include "dyadic/cuda/context.hpp"

namespace dyadic::cuda {

template <class T> struct line_arguments {
  T* r;
  T const* x;
  loops<2> lines;          ///< result, operand
  std::int64_t n, r_stride, x_stride;
  op kind;
};

template <class T> __global__ void __launch_bounds__(block_threads) reduce_lines(__grid_constant__ const line_arguments<T> a) {
  DYADIC_CUDA_EACH(line, a.lines.size()) {
    std::int64_t at[2];
    a.lines.at(line, at);
    T const* const x = a.x + at[1];
    T* const r = a.r + at[0];
    if (a.kind == op::argmax) {
      std::int64_t best = a.n > 0 ? 0 : -1;
      for (std::int64_t i = 1; i < a.n; ++i) if (x[i * a.x_stride] > x[best * a.x_stride]) best = i;
      *r = static_cast<T>(best);
      continue;
    }
    T most = -math::infinity<T>, total = 0;
    for (std::int64_t i = 0; i < a.n; ++i) most = combine<op::reduce_max>()(most, x[i * a.x_stride]);
    for (std::int64_t i = 0; i < a.n; ++i) total += op_info<op::shifted_exp>::apply(x[i * a.x_stride], most);
    if (a.kind == op::logsumexp) {
      *r = most + math::log(total);
      continue;
    }
    T const scale = op_info<op::reciprocal_or_zero>::apply(total);
    for (std::int64_t i = 0; i < a.n; ++i) r[i * a.r_stride] = op_info<op::shifted_exp>::apply(x[i * a.x_stride], most) * scale;
  }
}

template <class T> void enqueue_lines(context<T> const& c, int i) {
  node const& w = c.g[i];
  int const x = w.arg[0];
  line_arguments<T> a{c.pointer(i), c.pointer(x), c.over(w.axes & ~bit_of(w.axis), i, x),
                      c.e.of[w.axis], c.stride(i, w.axis), c.stride(x, w.axis), w.kind};
  if (a.lines.size() > 0) reduce_lines<T><<<blocks_for(a.lines.size()), block_threads, 0, c.stream>>>(a);
}

}  // namespace dyadic::cuda
