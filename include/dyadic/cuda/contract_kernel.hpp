// Sums of products, plainly: a thread a result, terms in their order, 64 of them added up before they join the rest so that long sums lose
// few digits. Right for any strides and sizes; tiles that keep operands near are another kernel class.
#pragma once
#include "dyadic/cuda/context.hpp"

namespace dyadic::cuda {

template <class T> struct contract_arguments {
  T* r;
  T const *x, *y;
  loops<3> results;                   ///< result, operands
  loops<2> terms;                     ///< operands
};
template <class T> __global__ void __launch_bounds__(block_threads) contract_elements(__grid_constant__ const contract_arguments<T> a) {
  std::int64_t const terms = a.terms.size();
  DYADIC_CUDA_EACH(i, a.results.size()) {
    std::int64_t at[3];
    a.results.at(i, at);
    T total = 0;
    for (std::int64_t k = 0; k < terms;) {
      T some = 0;
      for (std::int64_t const end = k + 64 < terms ? k + 64 : terms; k < end; ++k) {
        std::int64_t term[2];
        a.terms.at(k, term);
        some += a.x[at[1] + term[0]] * a.y[at[2] + term[1]];
      }
      total += some;
    }
    a.r[at[0]] = total;
  }
}
template <class T> void enqueue_contract(context<T> const& c, int i) {
  node const& w = c.g[i];
  int const x = w.arg[0], y = w.arg[1];
  axis_set const summed = (c.g[x].axes | c.g[y].axes) & ~w.axes;
  contract_arguments<T> a{c.pointer(i), c.pointer(x), c.pointer(y), c.over(w.axes, i, x, y), c.over(summed, x, y)};
  if (a.results.size() > 0) contract_elements<T><<<blocks_for(a.results.size()), block_threads, 0, c.stream>>>(a);
}

}  // namespace dyadic::cuda
