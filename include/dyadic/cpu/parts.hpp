// Loops cut into parts that different threads run. Where the cuts are depends on lengths and on what an element costs, never on the number
// of threads, and no two parts write the same element: results are the same, bit for bit, for any executor.
#pragma once
#include <algorithm>
#include <cstdint>

#include "dyadic/cpu/nest.hpp"
#include "dyadic/cpu/workers.hpp"

namespace dyadic::cpu {

/// Who runs the parts, and how small they may be. Work is counted in nanoseconds of one thread, roughly.
struct division {
  static constexpr std::int64_t most_parts = 64;
  workers on;
  double least = 5000;           ///< of a part: handing one over costs some hundred nanoseconds between threads that are awake
  std::int64_t* widest = nullptr;   ///< where somebody looks on: raised to the largest number of parts that ran at once

  /// How many parts so much work is worth.
  std::int64_t parts(double work, std::int64_t most = most_parts) const {
    double const n = work / least;
    return n < 2 ? 1 : n < static_cast<double>(most) ? static_cast<std::int64_t>(n) : most;
  }
  template <class F> void run(std::int64_t parts, F&& f) const {
    if (widest && *widest < parts) *widest = parts;
    on.run(parts, f);
  }
};

/// n positions in pieces of equal length, but the last.
struct pieces {
  std::int64_t n = 1, size = 1, count = 1;
  /// About `wanted` pieces, each a multiple of `grain` long.
  pieces() = default;
  pieces(std::int64_t length, std::int64_t wanted, std::int64_t grain = 1) : n(length) {
    wanted = std::clamp<std::int64_t>(wanted, 1, (std::max<std::int64_t>)((n + grain - 1) / grain, 1));
    size = (std::max)(((n + wanted - 1) / wanted + grain - 1) / grain, std::int64_t{1}) * grain;
    count = (std::max<std::int64_t>)((n + size - 1) / size, 1);
  }
  std::int64_t begin(std::int64_t i) const { return i * size; }
  std::int64_t length(std::int64_t i) const { return (std::min)(size, n - i * size); }
};

/// Calls f(begin, end, worker) for pieces of [0, n).
template <class F> void each_piece(division const& on, std::int64_t n, double work, F&& f) {
  pieces const p(n, on.parts(work));
  if (p.count == 1) return f(std::int64_t{0}, n, 0);
  on.run(p.count, [&](std::int64_t i, int worker) { f(p.begin(i), p.begin(i) + p.length(i), worker); });
}

/// A nest cut into boxes along loops in which stream 0 moves: other loops add to the same elements.
struct boxes {
  static constexpr int most = 4;
  int dims = 0, which[most]{};
  pieces of[most];
  std::int64_t count = 1;

  boxes() = default;
  boxes(nest const& s, std::int64_t wanted) {
    for (int i = 0; i < s.count && dims < most && count < wanted; ++i) {
      dim const& d = s.d[i];
      if (d.n < 2 || d.stride[0] == 0) continue;
      pieces const p(d.n, (wanted + count - 1) / count, d.stride[0] == 1 ? 64 : 1);   // no cache line in two of them
      if (p.count == 1) continue;
      which[dims] = i;
      of[dims++] = p;
      count *= p.count;
    }
  }
  /// Narrows s and moves the pointers to box `number`.
  template <int P, class T> void narrow(std::int64_t number, nest& s, T** p) const {
    for (int q = dims; q-- > 0;) {
      std::int64_t const i = number % of[q].count;
      number /= of[q].count;
      dim& d = s.d[which[q]];
      for (int k = 0; k < P; ++k) if (p[k]) p[k] += of[q].begin(i) * d.stride[k];
      d.n = of[q].length(i);
    }
  }
};

inline std::int64_t elements(nest const& s) {
  std::int64_t n = 1;
  for (int i = 0; i < s.count; ++i) n *= s.d[i].n;
  return n;
}

/// Calls f(nest, pointers, worker) for the boxes of a nest whose elements take `each` nanoseconds. P streams; s is resolved.
template <int P, class T, class F> void each_box(division const& on, nest const& s, T* const* base, double each, F&& f) {
  std::int64_t const wanted = on.parts(static_cast<double>(elements(s)) * each);
  if (wanted == 1) return f(s, base, 0);
  boxes const b(s, wanted);
  if (b.count == 1) return f(s, base, 0);
  on.run(b.count, [&](std::int64_t number, int worker) {
    nest part = s;
    T* p[P];
    for (int k = 0; k < P; ++k) p[k] = base[k];
    b.template narrow<P>(number, part, p);
    f(part, static_cast<T* const*>(p), worker);
  });
}

}  // namespace dyadic::cpu
