// Lanes moved between vectors: a square block of a matrix turned in registers, and the sums of four vectors at once.
#pragma once
#include "dyadic/cpu/unroll.hpp"
#include "dyadic/cpu/vector.hpp"

namespace dyadic::cpu::detail {

#if !defined(__CUDACC__)   // nvcc's front end gives shuffles the wrong type
/// The lanes of a and b by turns: low takes the first halves, high the second.
template <class V, int... Lane>
[[gnu::always_inline]] inline void interleave(V& low, V& high, V const& a, V const& b, std::integer_sequence<int, Lane...>) {
  constexpr int n = sizeof...(Lane);
  low = __builtin_shufflevector(a, b, ((Lane % 2 ? n : 0) + Lane / 2)...);
  high = __builtin_shufflevector(a, b, ((Lane % 2 ? n : 0) + n / 2 + Lane / 2)...);
}
/// Adds the upper half of the lanes to the lower, until `Least` lanes hold all.
template <int Least, class V, int... Lane> [[gnu::always_inline]] inline void fold_halves(V& v, std::integer_sequence<int, Lane...> lanes) {
  constexpr int n = sizeof...(Lane);
  if constexpr (n > Least) v += __builtin_shufflevector(v, v, (Lane + n / 2) % n...);
  if constexpr (n > 2 * Least) v += __builtin_shufflevector(v, v, (Lane + n / 4) % n...);
  static_assert(n <= 4 * Least);
  (void)lanes;
}
#endif

/// to[k * to_row + x] = from[x * from_row + k] for x and k below the lanes of a vector. log2(lanes) rounds, each of which interleaves
/// vector i with vector i + lanes / 2.
template <class T> [[gnu::always_inline]] inline void transpose_block(T* to, std::int64_t to_row, T const* from, std::int64_t from_row) {
  constexpr int n = native_lanes<T>;
#if defined(__CUDACC__)
  for (int k = 0; k < n; ++k) for (int x = 0; x < n; ++x) to[k * to_row + x] = from[x * from_row + k];
#else
  vector_of<T> a[n], b[n];
  unroll<n>([&](auto i) DYADIC_INLINE { a[i] = load<vector_of<T>>(from + i * from_row); });
  constexpr auto lanes = std::make_integer_sequence<int, n>();
  auto round = [&]() DYADIC_INLINE {
    unroll<n / 2>([&](auto i) DYADIC_INLINE { interleave(b[2 * i], b[2 * i + 1], a[i], a[i + n / 2], lanes); });
    unroll<n>([&](auto i) DYADIC_INLINE { a[i] = b[i]; });
  };
  constexpr int rounds = n >= 16 ? 4 : n >= 8 ? 3 : n >= 4 ? 2 : 1;
  unroll<rounds>([&](auto) DYADIC_INLINE { round(); });
  unroll<n>([&](auto i) DYADIC_INLINE { store<vector_of<T>>(to + i * to_row, a[i]); });
#endif
}

/// to[i] = the sum of v[i]'s lanes, for four vectors, in an order that depends on the number of lanes alone.
template <class T> [[gnu::always_inline]] inline void sums_of_four(T* to, vector_of<T> const* v) {
  constexpr int n = native_lanes<T>;
#if defined(__CUDACC__)
  for (int i = 0; i < 4; ++i) {
    T s = 0;
    for (int k = 0; k < n; ++k) s += v[i][k];
    to[i] = s;
  }
#else
  if constexpr (n < 4) {
    for (int i = 0; i < 4; ++i) to[i] = v[i][0] + v[i][1];
  } else {
    // Interleaved twice, lane k belongs to vector k % 4; then halves are added until four lanes are left.
    constexpr auto lanes = std::make_integer_sequence<int, n>();
    vector_of<T> low[2], high[2], sum;
    unroll<2>([&](auto i) DYADIC_INLINE {
      interleave(low[i], high[i], v[i], v[i + 2], lanes);
      low[i] += high[i];
    });
    interleave(sum, high[0], low[0], low[1], lanes);
    sum += high[0];
    fold_halves<4>(sum, lanes);
    for (int i = 0; i < 4; ++i) to[i] = sum[i];
  }
#endif
}

}  // namespace dyadic::cpu::detail
