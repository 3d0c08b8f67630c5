// Loops over the elements of a few arrays at once: lengths and strides prepared when a plan is bound, walked by an odometer when it runs.
#pragma once
#include <cstdint>

#include "dyadic/plan/layout.hpp"

namespace dyadic::cpu {

/// Positions lo, lo + step, ... of an axis; n of them.
struct range {
  std::int64_t lo = 0, n = 0, step = 1;
  constexpr bool operator==(range const&) const = default;
};

/// Which axis is forced outermost and, when values keep only a piece of it, how many positions.
struct window {
  int axis = -1;
  std::int64_t rows = 0;
};

inline constexpr int max_dims = 12, max_streams = 4;

/// One loop. Its length is n, times the current length of `axis` when that is only known as the statement runs.
struct dim {
  std::int64_t n = 1;
  std::int8_t axis = -1;
  bool whole = true;             ///< n == 1 beside `axis`: a step of the axis multiplies the strides
  std::int64_t stride[max_streams]{};
};
struct nest {
  int count = 0;
  bool varies = false;           ///< some dim has an axis
  dim d[max_dims];

  /// Adds an inner loop; joins it with the one around it where every stride allows.
  [[gnu::noinline]] void add(dim const& x) {   // preparation: small rather than fast
    if (x.n == 1 && x.axis < 0) return;
    varies = varies || x.axis >= 0;
    if (count > 0 && x.axis < 0) {
      dim& o = d[count - 1];
      bool join = !(o.axis >= 0 && !joinable);
      for (int k = 0; k < max_streams && join; ++k) join = o.stride[k] == x.stride[k] * x.n;
      if (join) {
        o.n *= x.n;
        o.whole = false;
        for (int k = 0; k < max_streams; ++k) o.stride[k] = x.stride[k];
        return;
      }
    }
    d[count++] = x;
  }
  bool joinable = true;          ///< false: ranges along a varying axis may have steps
  bool empty() const {
    for (int i = 0; i < count; ++i) if (d[i].n == 0) return true;
    return false;
  }
};

/// The nest with the lengths of the current ranges.
inline nest const& resolved(nest const& s, range const* at, nest& room) {
  if (!s.varies) return s;
  room = s;
  for (int i = 0; i < room.count; ++i) {
    dim& x = room.d[i];
    if (x.axis < 0) continue;
    range const& r = at[x.axis];
    x.n *= r.n;
    if (x.whole) for (auto& k : x.stride) k *= r.step;
  }
  return room;
}

/// Calls f(pointers, n, strides) for every innermost row. P streams; s is resolved.
template <int P, class T, class F> inline void walk(nest const& s, T* const* base, F&& f) {
  T* p[P];
  for (int k = 0; k < P; ++k) p[k] = base[k];
  if (s.count == 0) {
    std::int64_t const unit[max_streams]{};
    f(p, std::int64_t{1}, unit);
    return;
  }
  if (s.empty()) return;
  int const inner = s.count - 1;
  dim const& last = s.d[inner];
  if (inner == 0) { f(p, last.n, last.stride); return; }
  std::int64_t at[max_dims]{};
  for (;;) {
    f(p, last.n, last.stride);
    int i = inner - 1;
    for (;;) {
      dim const& x = s.d[i];
      if (++at[i] < x.n) {
        for (int k = 0; k < P; ++k) p[k] += x.stride[k];
        break;
      }
      for (int k = 0; k < P; ++k) p[k] -= (x.n - 1) * x.stride[k];
      at[i] = 0;
      if (--i < 0) return;
    }
  }
}

}  // namespace dyadic::cpu
