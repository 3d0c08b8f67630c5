// Reductions and row operations: sum, max, min, argmax, logsumexp, softmax.
#pragma once
#include <cmath>

#include "dyadic/cpu/engine.hpp"
#include "dyadic/cpu/vector_functions.hpp"

namespace dyadic::cpu {

namespace detail {

template <class T> inline constexpr T infinity = std::numeric_limits<T>::infinity();

/// The sum of n numbers in an order that depends on n alone, not on the processor: 32 partial sums, added up half by half.
template <class T> T sum_of(T const* x, std::int64_t n) {
  using V = vector_of<T>;
  constexpr std::int64_t width = 32, lanes = lanes_of<V>;
  constexpr int parts = static_cast<int>(width / lanes);
  T total = 0;
  if (n >= width) {
    V s[parts]{};
    for (; n >= width; n -= width, x += width)
      for (int k = 0; k < parts; ++k) s[k] += load<V>(x + k * lanes);
    for (int h = parts / 2; h > 0; h /= 2)
      for (int k = 0; k < h; ++k) s[k] += s[k + h];
    total = sum<V>(s[0]);
  }
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

template <class T> void add_sums(nest const& part, T* const* from) {
  walk<2>(part, from, [](T* const* p, std::int64_t n, std::int64_t const* q) {
    T *r = p[0], *x = p[1];
    if (n == 1) { *r += *x; return; }
    if (q[0] == 0) {
      if (q[1] == 1) { *r += sum_of(x, n); return; }
      T s = 0;
      for (std::int64_t i = 0; i < n; ++i) s += x[i * q[1]];
      *r += s;
    } else if (q[0] == 1 && q[1] == 1) {
      for (std::int64_t i = 0; i < n; ++i) r[i] += x[i];
    } else {
      for (std::int64_t i = 0; i < n; ++i) r[i * q[0]] += x[i * q[1]];
    }
  });
}

template <class T> void sum_task(engine<T>& e, task<T> const& k) {
  nest room;
  T* const base[2] = {e.pointer(k.of[0]), e.pointer(k.of[1])};
  fill(e, k.clear, base[0], T(0));
  each_box<2>(e.on, resolved(k.all, e.at, room), base, 0.1, [](nest const& part, T* const* from, int) { add_sums(part, from); });
}

template <class T, bool Max> void extreme_task(engine<T>& e, task<T> const& k) {
  nest room;
  T* const base[2] = {e.pointer(k.of[0]), e.pointer(k.of[1])};
  fill(e, k.clear, base[0], Max ? -infinity<T> : infinity<T>);
  each_box<2>(e.on, resolved(k.all, e.at, room), base, 0.5, [](nest const& part, T* const* from, int) {
    walk<2>(part, from, [](T* const* p, std::int64_t n, std::int64_t const* q) {
      T *r = p[0], *x = p[1];
      for (std::int64_t i = 0; i < n; ++i) {
        T& o = r[i * q[0]];
        T const v = x[i * q[1]];
        if (Max ? (v > o || v != v) : (v < o || v != v)) o = v;
      }
    });
  });
}

/// A NaN among n numbers whose largest is `most`, if that is -inf; else `most`: only then could one go unnoticed.
template <class T> T most_or_nan(T most, T const* x, std::int64_t n, std::int64_t stride) {
  if (most == -infinity<T>) for (std::int64_t i = 0; i < n; ++i) if (x[i * stride] != x[i * stride]) return x[i * stride];
  return most;
}
template <class T> T max_of(T const* x, std::int64_t n, std::int64_t stride) {
  T m = -infinity<T>;
  for (std::int64_t i = 0; i < n; ++i) m = (std::max)(m, x[i * stride]);
  return most_or_nan(m, x, n, stride);
}
/// r = e^(x - m), exactly 0 where x is -inf. r may be x.
template <class T> void exp_rows(T* r, T const* x, T m, std::int64_t n) {
  using V = vector_of<T>;
  V const none = broadcast<V>(-infinity<T>);
  map_vectors<V>(r, x, n, [&](V const& v) __attribute__((always_inline)) { return functions::exp<V>(select<V>(v == none, none, v - m)); });
}

// Calls f(result, operand, n, result stride, operand stride) for every row along the node's axis.
template <class T, class F> void each_row(engine<T>& e, task<T> const& k, F&& f) {
  node const& x = e.g[k.node];
  nest room;
  T* const base[2] = {e.pointer(k.of[0]), e.pointer(k.of[1])};
  std::int64_t const n = e.rows[x.axis].n, sr = k.far[0].stride, sx = k.far[1].stride;
  each_box<2>(e.on, resolved(k.all, e.at, room), base, static_cast<double>(n), [&](nest const& part, T* const* from, int) {
    walk<2>(part, from, [&](T* const* p, std::int64_t rows, std::int64_t const* q) {
      for (std::int64_t i = 0; i < rows; ++i) f(p[0] + i * q[0], p[1] + i * q[1], n, sr, sx);
    });
  });
}

template <class T> void argmax_task(engine<T>& e, task<T> const& k) {
  std::int64_t const first = e.rows[e.g[k.node].axis].lo;
  each_row(e, k, [first](T* r, T const* x, std::int64_t n, std::int64_t, std::int64_t s) {
    std::int64_t best = n ? 0 : -1;
    for (std::int64_t i = 1; i < n; ++i) if (x[i * s] > x[best * s]) best = i;
    *r = static_cast<T>(best < 0 ? -1 : best + first);
  });
}

template <class T> void logsumexp_task(engine<T>& e, task<T> const& k) {
  each_row(e, k, [](T* r, T const* x, std::int64_t n, std::int64_t, std::int64_t s) {
    T const m = max_of(x, n, s);
    if (m == -infinity<T>) { *r = m; return; }
    constexpr std::int64_t block = 256;
    T some[block], l = 0;
    for (std::int64_t i = 0; i < n; i += block) {
      std::int64_t const count = (std::min)(block, n - i);
      if (s != 1) for (std::int64_t j = 0; j < count; ++j) some[j] = x[(i + j) * s];
      exp_rows(some, s == 1 ? x + i : some, m, count);
      l += sum_of(some, count);
    }
    *r = m + std::log(l);
  });
}

template <class T> void softmax_task(engine<T>& e, task<T> const& k) {
  each_row(e, k, [](T* r, T const* x, std::int64_t n, std::int64_t sr, std::int64_t s) {
    T const m = max_of(x, n, s);
    if (m == -infinity<T>) { fill(r, n, sr, T(0)); return; }
    T l = 0;
    if (s == 1 && sr == 1) {
      exp_rows(r, x, m, n);
      l = sum_of(r, n);
    } else {
      for (std::int64_t i = 0; i < n; ++i) l += r[i * sr] = std::exp(x[i * s] - m);
    }
    T const scale = T(1) / l;
    for (std::int64_t i = 0; i < n; ++i) r[i * sr] *= scale;
  });
}

}  // namespace detail

/// sum, reduce_max, reduce_min, argmax, logsumexp, softmax.
template <class T> void prepare_rows(engine<T>& e, task<T>& k) {
  node const& x = e.g[k.node];
  int const a = x.arg[0];
  axis_set const gone = e.g[a].axes & ~x.axes;
  k.of[0] = e.address_of(k.node, x.axes, 0, k.modes);
  if (x.kind == op::sum || x.kind == op::reduce_max || x.kind == op::reduce_min) {
    k.of[1] = e.address_of(a, x.axes, gone, k.modes);
    k.all = e.loops(k, e.g[a].axes, gone, k.node, a);
    k.clear = e.loops(k, x.axes, 0, k.node);
    if (x.kind == op::sum) k.run = &detail::sum_task<T>;
    else k.run = x.kind == op::reduce_max ? &detail::extreme_task<T, true> : &detail::extreme_task<T, false>;
    return;
  }
  axis_set const own = bit_of(x.axis);
  k.of[0] = e.address_of(k.node, x.axes & ~own, x.axes & own, k.modes);
  k.of[1] = e.address_of(a, x.axes & ~own, own, k.modes);
  k.all = e.loops(k, x.axes & ~own, 0, k.node, a);
  k.far[0] = e.axis_of(k.node, x.axis);
  k.far[1] = e.axis_of(a, x.axis);
  k.run = x.kind == op::argmax ? &detail::argmax_task<T> : x.kind == op::logsumexp ? &detail::logsumexp_task<T> : &detail::softmax_task<T>;
}

}  // namespace dyadic::cpu
