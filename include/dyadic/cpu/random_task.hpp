// Random nodes as statements.
#pragma once
#include "dyadic/cpu/engine.hpp"
#include "dyadic/expr/random_value.hpp"

namespace dyadic::cpu {

namespace detail {

// The linear index runs over all of the node's axes, in the order of the layout, whatever part of them a statement computes.
template <class T> void random_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  int axes[max_axes], count = 0;
  for (int q = 0; q < e.g.naxes; ++q) if (w.axes >> e.layout_order[q] & 1) axes[count++] = e.layout_order[q];
  std::int64_t all = 1;
  for (int i = 0; i < count; ++i) all *= e.at[axes[i]].n;
  if (all == 0) return;
  T* const base = e.pointer(k.of[0]);
  each_piece(e.on, all, 20 * static_cast<double>(all), [&](std::int64_t begin, std::int64_t end, int) {
    std::int64_t at[max_axes], rest = begin;
    for (int i = count; i-- > 0; rest /= e.at[axes[i]].n) at[i] = rest % e.at[axes[i]].n;
    for (std::int64_t number = begin; number < end; ++number) {
      std::int64_t index = 0, o = 0;
      for (int i = 0; i < count; ++i) {
        range const& r = e.at[axes[i]];
        std::int64_t const x = r.lo + at[i] * r.step;
        index = index * e.ext.of[axes[i]] + x;
        o += e.offset(e.axis_of(k.node, axes[i]), x);
      }
      auto const element = static_cast<std::uint64_t>(index);
      base[o] = static_cast<T>(random_numbers::random_value(w.kind, w.value, e.training, e.seed, e.step, w.slot, element));
      int i = count - 1;
      for (; i >= 0 && ++at[i] == e.at[axes[i]].n; --i) at[i] = 0;
    }
  });
}

}  // namespace detail

template <class T> void prepare_random(engine<T>& e, task<T>& k) {
  k.of[0] = e.address_of(k.node, 0, 0, k.modes);
  k.run = &detail::random_task<T>;
}

}  // namespace dyadic::cpu
