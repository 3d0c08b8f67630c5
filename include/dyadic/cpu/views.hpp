// Ops that move elements: window, pick, place, if_empty, split, merge, rotate_half. Each walks its own axis in pieces and copies rows.
#pragma once
#include "dyadic/cpu/maps.hpp"

namespace dyadic::cpu {

namespace detail {

/// Copies (or clears, x == nullptr) n positions of an axis: strides sr and sx along it, the other axes in k.all.
template <class T> void move(engine<T>& e, task<T> const& k, T* r, T* x, std::int64_t n, std::int64_t sr, std::int64_t sx, T sign = T(1)) {
  if (n <= 0) return;
  nest s = k.all;
  if (s.varies) { nest room; s = resolved(k.all, e.at, room); }
  dim along_axis;
  along_axis.n = n; along_axis.stride[0] = sr; along_axis.stride[1] = sx;
  if (n != 1) {   // innermost when it runs along memory, else outermost
    bool const inner = sr == 1 || s.count == 0;
    if (!inner) for (int i = s.count; i > 0; --i) s.d[i] = s.d[i - 1];
    s.d[inner ? s.count : 0] = along_axis;
    ++s.count;
  }
  T* const base[2] = {r, x ? x : r};
  each_box<2>(e.on, s, base, 0.2, [x, sign](nest const& part, T* const* from, int) {
    walk<2>(part, from, [x, sign](T* const* p, std::int64_t m, std::int64_t const* q) {
      if (!x) return fill(p[0], m, m == 1 ? 1 : q[0], T(0));
      if (m > 1 && q[0] == 1 && q[1] == 1 && sign == T(1)) { std::copy(p[1], p[1] + m, p[0]); return; }
      for (std::int64_t i = 0; i < m; ++i) p[0][i * q[0]] = sign * p[1][i * q[1]];
    });
  });
}

/// Calls f(begin, end, worker) for pieces of [0, moves), each move of `n` positions of an axis; moves that are cut themselves, one by one.
template <class T, class F> void each_move(engine<T> const& e, task<T> const& k, std::int64_t moves, std::int64_t n, F&& f) {
  nest room;
  double const one = 10 + 0.2 * static_cast<double>(elements(resolved(k.all, e.at, room)) * n);
  if (e.on.parts(one) > 1) return f(std::int64_t{0}, moves, 0);
  each_piece(e.on, moves, one * static_cast<double>(moves), f);
}

template <class T> struct cursor {   // offsets along the node's own axes
  engine<T>& e;
  task<T> const& k;
  T *r, *x, *y;
  cursor(engine<T>& engine_, task<T> const& k_, int operands) : e(engine_), k(k_), r(e.pointer(k.of[0])), x(nullptr), y(nullptr) {
    if (operands > 0) x = e.pointer(k.of[1]);
    if (operands > 1) y = e.pointer(k.of[2]);
  }
};

template <class T> void window_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  cursor<T> c(e, k, 1);
  std::int64_t const shift = static_cast<std::int64_t>(w.value) + (w.inner >= 0 ? w.slot * e.ext.of[w.inner] : 0);
  range const a = e.at[w.axis];
  std::int64_t const n = e.ext.of[w.aux];
  auto const &fr = k.far[0], &fx = k.far[1];
  if (a.step != 1 || fr.ring || fx.ring) {
    for (std::int64_t i = 0, t = a.lo; i < a.n; ++i, t += a.step) {
      bool const inside = t + shift >= 0 && t + shift < n;
      move(e, k, c.r + e.offset(fr, t), inside ? c.x + e.offset(fx, t + shift) : nullptr, 1, 0, 0);
    }
    return;
  }
  std::int64_t const end = a.lo + a.n, from = std::clamp(-shift, a.lo, end), to = std::clamp(n - shift, from, end);
  move<T>(e, k, c.r + e.offset(fr, a.lo), nullptr, from - a.lo, fr.stride, 0);
  if (to > from) move(e, k, c.r + e.offset(fr, from), c.x + e.offset(fx, from + shift), to - from, fr.stride, fx.stride);
  move<T>(e, k, c.r + e.offset(fr, to), nullptr, end - to, fr.stride, 0);
}

inline std::int64_t from_end(double value, std::int64_t extent) {
  std::int64_t const v = static_cast<std::int64_t>(value);
  return v < 0 ? extent + v : v;
}

template <class T> void pick_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  cursor<T> c(e, k, w.nargs);
  std::int64_t const n = e.ext.of[w.axis], t = from_end(w.value, n);
  bool const inside = t >= 0 && t < n;
  if (n == 0 && w.nargs > 1) {
    nest room;
    T* base[max_streams] = {c.r, c.y, nullptr, nullptr};
    run_map<T>(&copy_rows<T>, resolved(k.part[0], e.at, room), base, 1);
    return;
  }
  move(e, k, c.r, inside ? c.x + e.offset(k.far[1], t) : nullptr, 1, 0, 0);
}

template <class T> void place_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  cursor<T> c(e, k, 1);
  std::int64_t const at = from_end(w.value, e.ext.of[w.axis]);
  range const a = e.at[w.axis];
  for (std::int64_t i = 0, t = a.lo; i < a.n; ++i, t += a.step) move(e, k, c.r + e.offset(k.far[0], t), t == at ? c.x : nullptr, 1, 0, 0);
}

template <class T> void if_empty_task(engine<T>& e, task<T> const& k) {
  cursor<T> c(e, k, 1);
  move(e, k, c.r, e.ext.of[e.g[k.node].axis] ? nullptr : c.x, 1, 0, 0);
}

template <class T> void split_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  cursor<T> c(e, k, 1);
  std::int64_t const width = e.ext.of[w.inner], n = e.ext.of[w.axis];
  range const o = e.at[w.aux], in = e.at[w.inner];
  each_move(e, k, o.n, in.n, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t q = begin, t = o.lo + begin * o.step; q < end; ++q, t += o.step) {
      T* const r = c.r + e.offset(k.far[0], t);
      std::int64_t const first = t * width + in.lo, valid = std::clamp<std::int64_t>(n - first, 0, in.n);
      if (valid) move(e, k, r + e.offset(k.far[1], in.lo), c.x + e.offset(k.far[2], first), valid, k.far[1].stride, k.far[2].stride);
      if (valid < in.n) move<T>(e, k, r + e.offset(k.far[1], in.lo + valid), nullptr, in.n - valid, k.far[1].stride, 0);
    }
  });
}

template <class T> void merge_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  cursor<T> c(e, k, 1);
  std::int64_t const width = e.ext.of[w.inner];
  range const a = e.at[w.axis];
  std::int64_t const blocks = a.step == 1 && a.n > 0 ? (a.lo + a.n - 1) / width - a.lo / width + 1 : a.n;   // moves
  each_move(e, k, blocks, a.step == 1 ? width : 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t q = begin; q < end; ++q) {
      std::int64_t const t = a.step == 1 ? (std::max)((a.lo / width + q) * width, a.lo) : a.lo + q * a.step, o = t / width, i = t % width;
      std::int64_t const n = a.step == 1 ? (std::min)(a.lo + a.n - t, width - i) : 1;
      T* const x = o < e.ext.of[w.aux] ? c.x + e.offset(k.far[1], o) + e.offset(k.far[2], i) : nullptr;
      move(e, k, c.r + e.offset(k.far[0], t), x, n, k.far[0].stride, k.far[2].stride);
    }
  });
}

template <class T> void rotate_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  cursor<T> c(e, k, 1);
  std::int64_t const n = e.ext.of[w.axis], rotary = w.value >= 0 ? (std::min)(static_cast<std::int64_t>(w.value), n) : n, half = rotary / 2;
  std::int64_t const sr = k.far[0].stride, sx = k.far[1].stride;
  if (w.slot == 0) {
    move(e, k, c.r, c.x + half * sx, half, sr, sx, T(-1));
    move(e, k, c.r + half * sr, c.x, half, sr, sx);
  } else {
    move(e, k, c.r, c.x + sx, half, 2 * sr, 2 * sx, T(-1));
    move(e, k, c.r + sr, c.x, half, 2 * sr, 2 * sx);
  }
  move<T>(e, k, c.r + 2 * half * sr, nullptr, n - 2 * half, sr, 0);
}

}  // namespace detail

/// The views; k.far holds the axes each walks itself.
template <class T> void prepare_view(engine<T>& e, task<T>& k) {
  node const& w = e.g[k.node];
  auto bit = [](int axis) { return axis >= 0 ? bit_of(axis) : axis_set{0}; };
  axis_set const own = bit(w.axis) | bit(w.aux) | (w.kind != op::window ? bit(w.inner) : 0);
  int const x = w.arg[0];
  axis_set const rest = w.kind == op::pick || w.kind == op::if_empty ? w.axes : w.axes & ~own;
  k.of[0] = e.address_of(k.node, rest, 0, k.modes);
  k.of[1] = e.address_of(x, rest & ~(w.kind == op::pick ? own : 0), 0, k.modes);
  if (w.nargs > 1) k.of[2] = e.address_of(w.arg[1], rest, 0, k.modes);
  k.all = e.loops(k, rest, 0, k.node, x);
  auto axis = [&](int slot, int i, int a) { k.far[slot] = e.axis_of(i, a); };
  switch (w.kind) {
    case op::window: axis(0, k.node, w.axis); axis(1, x, w.aux); k.run = &detail::window_task<T>; break;
    case op::pick:
      axis(1, x, w.axis);
      if (w.nargs > 1) k.part[0] = e.loops(k, w.axes, 0, k.node, w.arg[1]);
      k.run = &detail::pick_task<T>;
      break;
    case op::place: axis(0, k.node, w.axis); k.run = &detail::place_task<T>; break;
    case op::if_empty: k.run = &detail::if_empty_task<T>; break;
    case op::split: axis(0, k.node, w.aux); axis(1, k.node, w.inner); axis(2, x, w.axis); k.run = &detail::split_task<T>; break;
    case op::merge: axis(0, k.node, w.axis); axis(1, x, w.aux); axis(2, x, w.inner); k.run = &detail::merge_task<T>; break;
    default: axis(0, k.node, w.axis); axis(1, x, w.axis); k.run = &detail::rotate_task<T>; break;
  }
}

}  // namespace dyadic::cpu
