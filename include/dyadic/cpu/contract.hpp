// Sums of products. Axes fall into m (only x), n (only y), k (summed) and batch (in both and the result); neighbours that lie one
// behind the other are joined, the longest of each group makes a matrix product, and the rest are loops around it.
#pragma once
#include "dyadic/cpu/engine.hpp"
#include "dyadic/cpu/gemm.hpp"

namespace dyadic::cpu {

namespace detail {

template <class T> T dot(T const* x, T const* y, std::int64_t n) {
  using v = vector_of<T>;
  constexpr std::int64_t lanes = native_lanes<T>;
  T s = 0;
  if (n >= 4 * lanes) {
    v part[4];
    unroll<4>([&](auto i) DYADIC_INLINE { part[i] = v{}; });
    for (; n >= 4 * lanes; n -= 4 * lanes, x += 4 * lanes, y += 4 * lanes)
      unroll<4>([&](auto i) DYADIC_INLINE { part[i] += load<v>(x + i * lanes) * load<v>(y + i * lanes); });
    T sums[4];
    sums_of_four<T>(sums, part);
    s = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  for (std::int64_t i = 0; i < n; ++i) s += x[i] * y[i];
  return s;
}

// Streams: 0 result, 1 x, 2 y.
template <class T> void contract_plain_task(engine<T>& e, task<T> const& k) {
  nest room;
  T* const base[3] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  fill(e, k.clear, base[0], T(0));
  walk<3>(resolved(k.all, e.at, room), base, [](T* const* p, std::int64_t n, std::int64_t const* q) {
    T *r = p[0], *x = p[1], *y = p[2];
    if (n == 1) { *r += *x * *y; return; }
    if (q[0] == 0 && q[1] == 1 && q[2] == 1) { *r += dot(x, y, n); return; }
    if (q[0] == 0) {
      T s = 0;
      for (std::int64_t i = 0; i < n; ++i) s += x[i * q[1]] * y[i * q[2]];
      *r += s;
      return;
    }
    if (q[0] == 1 && q[1] == 0 && q[2] == 1) {
      T const a = *x;
      for (std::int64_t i = 0; i < n; ++i) r[i] += a * y[i];
      return;
    }
    if (q[0] == 1 && q[1] == 1 && q[2] == 1) for (std::int64_t i = 0; i < n; ++i) r[i] += x[i] * y[i];
    else for (std::int64_t i = 0; i < n; ++i) r[i * q[0]] += x[i * q[1]] * y[i * q[2]];
  });
}

template <class T> void contract_task(engine<T>& e, task<T> const& k) {
  nest room;
  T* const base[3] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  fill(e, k.clear, base[0], T(0));
  dim g[3];
  for (int i = 0; i < 3; ++i) {
    nest one;
    nest const& s = resolved(k.part[i], e.at, one);
    if (s.count) g[i] = s.d[0];
  }
  dim const &m = g[0], &n = g[1], &c = g[2];
  walk<3>(resolved(k.all, e.at, room), base, [&](T* const* p, std::int64_t rows, std::int64_t const* q) {
    for (std::int64_t i = 0; i < rows; ++i)
      multiply<T>({p[0] + i * q[0], m.n, n.n, m.stride[0], n.stride[0]}, {p[1] + i * q[1], m.n, c.n, m.stride[1], c.stride[1]},
                  {p[2] + i * q[2], c.n, n.n, c.stride[2], n.stride[2]}, e.pack);
  });
}

inline std::int64_t length(dim const& d) { return d.axis >= 0 ? d.n * 64 : d.n; }
/// The longest that a loop can become.
inline std::int64_t most(dim const& d, extents const& e) { return d.axis >= 0 ? d.n * e.of[d.axis] : d.n; }

/// Moves the dim that makes the best matrix side out of s.
inline dim take_side(nest& s, int r, int x) {
  int best = -1;
  std::int64_t score = 1;
  for (int i = 0; i < s.count; ++i) {
    dim const& d = s.d[i];
    bool const unit = (r >= 0 && d.stride[r] == 1) || (x >= 0 && d.stride[x] == 1);
    std::int64_t const v = length(d) * (unit ? 4 : 1);
    if (v > score) { score = v; best = i; }
  }
  if (best < 0) return dim{};
  dim const d = s.d[best];
  for (int i = best; i + 1 < s.count; ++i) s.d[i] = s.d[i + 1];
  --s.count;
  return d;
}

}  // namespace detail

/// contract: x, y of any axes; the result has some of theirs.
template <class T> void prepare_contract(engine<T>& e, task<T>& k) {
  node const& r = e.g[k.node];
  int const a = r.arg[0], b = r.arg[1];
  axis_set const x = e.g[a].axes, y = e.g[b].axes, gone = (x | y) & ~r.axes;
  k.of[0] = e.address_of(k.node, r.axes, 0, k.modes);
  k.of[1] = e.address_of(a, r.axes, gone & x, k.modes);
  k.of[2] = e.address_of(b, r.axes, gone & y, k.modes);
  k.clear = e.loops(k, r.axes, 0, k.node);
  k.all = nest{};
  axis_set const groups[3] = {r.axes & x & ~y, r.axes & y & ~x, gone};
  nest side[3];
  for (int i = 0; i < 3; ++i) side[i] = e.loops(k, groups[i], groups[i] & gone, k.node, a, b);
  dim const m = detail::take_side(side[0], -1, 1), n = detail::take_side(side[1], 0, 2), c = detail::take_side(side[2], 1, 2);
  nest outer = e.loops(k, r.axes & x & y, 0, k.node, a, b);
  outer.joinable = false;
  for (auto& s : side)
    for (int i = 0; i < s.count; ++i) { outer.d[outer.count++] = s.d[i]; outer.varies = outer.varies || s.d[i].axis >= 0; }
  std::int64_t const work = detail::length(m) * detail::length(n) * detail::length(c);
  if (work >= 32 && (detail::length(m) > 1 || detail::length(n) > 1)) {
    k.all = outer;
    dim const sides[3] = {m, n, c};
    std::int64_t const rows = detail::most(m, e.ext), cols = detail::most(n, e.ext), depth = detail::most(c, e.ext);
    e.pack.reserve(rows, cols, depth);
    e.pack.reserve(cols, rows, depth);
    for (int i = 0; i < 3; ++i) { k.part[i] = nest{}; k.part[i].add(sides[i]); }
    k.run = &detail::contract_task<T>;
    return;
  }
  // Small: one nest; innermost the loop in which most operands run along memory or stand still, the longest of equals.
  dim all[max_dims + 3];
  int count = 0;
  for (int i = 0; i < outer.count; ++i) all[count++] = outer.d[i];
  for (dim const& d : {m, n, c}) if (d.n != 1 || d.axis >= 0) all[count++] = d;
  int best = count - 1, fewest = 8;
  std::int64_t longest = 0;
  for (int i = 0; i < count; ++i) {
    int strided = 0;
    for (int v = 0; v < 3; ++v) strided += all[i].stride[v] != 0 && all[i].stride[v] != 1;
    if (detail::length(all[i]) < 4) strided += 3;   // too short to matter
    if (strided > fewest || (strided == fewest && detail::length(all[i]) < longest)) continue;
    best = i;
    fewest = strided;
    longest = detail::length(all[i]);
  }
  nest s;
  for (int i = 0; i < count; ++i) if (i != best) { s.d[s.count++] = all[i]; s.varies = s.varies || all[i].axis >= 0; }
  if (count) { s.d[s.count++] = all[best]; s.varies = s.varies || all[best].axis >= 0; }
  k.all = s;
  k.run = &detail::contract_plain_task<T>;
}

}  // namespace dyadic::cpu
