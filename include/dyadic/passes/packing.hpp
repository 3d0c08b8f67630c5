// Offsets for buffers that are alive over known stretches of a program, so that those alive together do not overlap.
#pragma once
#include <cstdint>

#include "dyadic/expr/scratch.hpp"

namespace dyadic {

/// A buffer alive from statement `start` through statement `end`, both included.
struct interval {
  int start = 0, end = 0;
  std::int64_t size = 0;     ///< elements, already rounded up to the alignment
  std::int64_t offset = 0;   ///< decided by pack_intervals()
};

namespace detail {

/// order[0, n) sorted by ascending key, equal keys keeping their order: merges of ever longer runs.
constexpr void sort_by(int* order, std::int64_t const* key, int n) {
  scratch<int> other(n);
  int *from = order, *to = other.p;
  for (int width = 1; width < n; width *= 2) {
    for (int lo = 0; lo < n; lo += 2 * width) {
      int const mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
      int i = lo, j = mid;
      for (int k = lo; k < hi; ++k) to[k] = i < mid && (j >= hi || key[from[i]] <= key[from[j]]) ? from[i++] : from[j++];
    }
    int* const t = from;
    from = to;
    to = t;
  }
  if (from != order) for (int i = 0; i < n; ++i) order[i] = from[i];
}

/// Places the buffers one after another in the given order, each into the smallest gap that holds it, else on top. Returns the total.
constexpr std::int64_t place_in_order(interval* v, int const* order, int n) {
  scratch<int> placed(n);      // by offset
  int count = 0;
  std::int64_t total = 0;
  for (int q = 0; q < n; ++q) {
    interval& x = v[order[q]];
    std::int64_t top = 0, best = -1, best_gap = 0;
    int const start = x.start, end = x.end;
    for (int k = 0; k < count; ++k) {
      interval const& y = v[placed.p[k]];
      if (y.end < start || y.start > end) continue;
      std::int64_t const gap = y.offset - top;
      if (gap >= x.size && (best < 0 || gap < best_gap)) { best = top; best_gap = gap; }
      if (y.offset + y.size > top) top = y.offset + y.size;
    }
    x.offset = best >= 0 ? best : top;
    if (x.offset + x.size > total) total = x.offset + x.size;
    int k = count++;
    for (; k > 0 && v[placed.p[k - 1]].offset > x.offset; --k) placed.p[k] = placed.p[k - 1];
    placed.p[k] = order[q];
  }
  return total;
}

}  // namespace detail

/// The largest sum of buffers alive at one statement.
constexpr std::int64_t live_peak(interval const* v, int n) {
  int last = 0;
  for (int i = 0; i < n; ++i) if (v[i].end > last) last = v[i].end;
  detail::scratch<std::int64_t> change(last + 2);
  for (int i = 0; i < n; ++i) { change.p[v[i].start] += v[i].size; change.p[v[i].end + 1] -= v[i].size; }
  std::int64_t now = 0, peak = 0;
  for (int s = 0; s <= last; ++s) { now += change.p[s]; if (now > peak) peak = now; }
  return peak;
}

/// Fills in offsets and returns how much room they take: the best of `attempts` (1 to 3) orders, which are largest first, largest times
/// longest first, earliest first. Quadratic in n with a small factor. Empty buffers get offset 0.
constexpr std::int64_t pack_intervals(interval* v, int n, int attempts = 3) {
  detail::scratch<int> order(n);
  detail::scratch<std::int64_t> key(n), best(n);
  std::int64_t const peak = live_peak(v, n);
  std::int64_t total = -1;
  for (int attempt = 0; attempt < attempts && (total < 0 || (total - peak) * 50 > peak); ++attempt) {   // within 2 % is good enough
    int count = 0;
    for (int i = 0; i < n; ++i) {
      interval const& x = v[i];
      key.p[i] = attempt == 0 ? -x.size : attempt == 1 ? -x.size * (x.end - x.start + 1) : x.start;
      if (x.size > 0) order.p[count++] = i;
    }
    detail::sort_by(order.p, key.p, count);
    std::int64_t const t = detail::place_in_order(v, order.p, count);
    if (total >= 0 && t >= total) continue;
    total = t;
    for (int i = 0; i < n; ++i) best.p[i] = v[i].offset;
  }
  for (int i = 0; i < n; ++i) v[i].offset = v[i].size > 0 ? best.p[i] : 0;
  return total < 0 ? 0 : total;
}

}  // namespace dyadic
