// Random nodes: every element is a function of its keys and its place, the same as on the CPU.
#pragma once
#include "dyadic/cuda/context.hpp"
#include "dyadic/expr/random_value.hpp"

namespace dyadic::cuda {

template <class T> struct random_arguments {
  T* r;
  loops<2> all;                       ///< result; the element's number
  random_keys const* keys;
  op kind;
  double value;
  int stream;
};
template <class T> __global__ void __launch_bounds__(block_threads) draw_elements(__grid_constant__ const random_arguments<T> a) {
  random_keys const keys = *a.keys;
  DYADIC_CUDA_EACH(i, a.all.size()) {
    std::int64_t at[2];
    a.all.at(i, at);
    a.r[at[0]] = static_cast<T>(random_numbers::random_value(a.kind, a.value, keys.training != 0, keys.seed, keys.step, a.stream,
                                                             static_cast<std::uint64_t>(at[1])));
  }
}
template <class T> void enqueue_random(context<T> const& c, int i) {
  node const& w = c.g[i];
  random_arguments<T> a{c.pointer(i), {}, c.random, w.kind, w.value, w.slot};
  std::int64_t number = 1;
  c.each_axis(w.axes, [&](int axis) { number *= c.e.of[axis]; });
  if (number == 0) return;
  c.each_axis(w.axes, [&](int axis) {
    number /= c.e.of[axis];
    a.all.add(c.e.of[axis], {c.stride(i, axis), number});
  });
  draw_elements<T><<<blocks_for(a.all.size()), block_threads, 0, c.stream>>>(a);
}

}  // namespace dyadic::cuda
