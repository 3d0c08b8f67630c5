// Softmax weights of a tile of scores, and their changes backward: whole vectors, with nothing masked left to look at (its score is -inf).
#pragma once
#include "dyadic/cpu/micro_kernel.hpp"
#include "dyadic/cpu/rows.hpp"

namespace dyadic::cpu::detail {

/// e^x for x that is not above 0 but by rounding; exactly 0 for -inf.
template <class V> [[gnu::always_inline]] inline V weight(V const& x) {
  return functions::scaled_exp<V>(x) * functions::exp_data<element_of<V>>::halved;
}

/// The state of tile_cols folds side by side: largest score so far, sum of weights; `change`: what weights so far are to be multiplied by.
template <class T> struct lane_state { T *most, *total, *change; };

/// Replaces scores, rows of tile_cols, by weights, column by column. Returns false if all of them are 0.
template <class T> bool weigh_columns(T* s, std::int64_t rows, lane_state<T> const& state, bool& rescale) {
  using V = vector_of<T>;
  constexpr int lanes = native_lanes<T>, n = tile_vectors;
  V top[2 * n], base[n], sums[n], scale[n];
  unroll<n>([&](auto v) DYADIC_INLINE { top[v] = top[v + n] = load<V>(state.most + v * lanes); });
  std::int64_t i = 0;
  for (; i + 2 <= rows; i += 2)   // a NaN is passed over here: its weight will be one
    unroll<2 * n>([&](auto v) DYADIC_INLINE { top[v] = larger<V>(load<V>(s + i * (n * lanes) + v * lanes), top[v]); });
  if (i < rows) unroll<n>([&](auto v) DYADIC_INLINE { top[v] = larger<V>(load<V>(s + i * (n * lanes) + v * lanes), top[v]); });
  V const none = broadcast<V>(-infinity<T>), zero{};
  std::uint64_t changed = 0, some = 0;
  unroll<n>([&](auto v) DYADIC_INLINE {
    top[v] = larger<V>(top[v + n], top[v]);
    base[v] = select<V>(top[v] == none, zero, top[v]);   // scores of -inf alone: e^(-inf - 0)
    scale[v] = weight<V>(load<V>(state.most + v * lanes) - base[v]);
    changed |= any(scale[v] != broadcast<V>(1));
    sums[v] = zero;
  });
  for (i = 0; i < rows; ++i)
    unroll<n>([&](auto v) DYADIC_INLINE {
      T* const at = s + i * (n * lanes) + v * lanes;
      V const w = weight<V>(load<V>(at) - base[v]);
      store<V>(at, w);
      sums[v] += w;
    });
  unroll<n>([&](auto v) DYADIC_INLINE {
    some |= any(sums[v] != zero);
    store<V>(state.total + v * lanes, load<V>(state.total + v * lanes) * scale[v] + sums[v]);
    store<V>(state.most + v * lanes, top[v]);
    store<V>(state.change + v * lanes, scale[v]);
  });
  rescale = changed != 0;
  return some != 0;
}

/// The statistics of a tile's queries, backward: logsumexp (inf for queries without a pair) and delta, one of each per row or per column.
template <class T> struct query_statistics { T const *lse, *delta; bool by_row; };

/// p = e^(score - lse), and change = p (change - delta) slope, exactly 0 where p is, for rows of `stride` elements, whole vectors.
/// change = nullptr: p alone. slope: of the same shape, or one number.
template <class T, bool ByRow, bool Change, bool Uniform>
void weigh_pairs(T* p, T* change, T const* score, T const* slope, query_statistics<T> const& q, std::int64_t rows, std::int64_t stride) {
  using V = vector_of<T>;
  constexpr std::int64_t lanes = native_lanes<T>;
  V const zero{};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < stride; j += lanes) {
      std::int64_t const o = i * stride + j;
      V const lse = ByRow ? broadcast<V>(q.lse[i]) : load<V>(q.lse + j);
      V const w = weight<V>(load<V>(score + o) - lse);
      store<V>(p + o, w);
      if constexpr (Change) {
        V const delta = ByRow ? broadcast<V>(q.delta[i]) : load<V>(q.delta + j);
        V const factor = Uniform ? broadcast<V>(*slope) : load<V>(slope + o);
        store<V>(change + o, select<V>(w == zero, zero, w * (load<V>(change + o) - delta) * factor));
      }
    }
}
template <class T> void weigh_pairs(T* p, T* change, T const* score, T const* slope, bool uniform, query_statistics<T> const& q,
                                    std::int64_t rows, std::int64_t stride) {
  if (!change) {
    if (q.by_row) weigh_pairs<T, true, false, false>(p, change, score, slope, q, rows, stride);
    else weigh_pairs<T, false, false, false>(p, change, score, slope, q, rows, stride);
  } else if (uniform) {
    if (q.by_row) weigh_pairs<T, true, true, true>(p, change, score, slope, q, rows, stride);
    else weigh_pairs<T, false, true, true>(p, change, score, slope, q, rows, stride);
  } else {
    if (q.by_row) weigh_pairs<T, true, true, false>(p, change, score, slope, q, rows, stride);
    else weigh_pairs<T, false, true, false>(p, change, score, slope, q, rows, stride);
  }
}

}  // namespace dyadic::cpu::detail
