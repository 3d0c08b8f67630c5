// Reads at other positions of a recurrence: prev and shift (a fixed distance), take and its transposes (where a tree's table says).
#pragma once
#include "dyadic/cpu/indexed.hpp"
#include "dyadic/cpu/views.hpp"

namespace dyadic::cpu {

namespace detail {

template <class T> void shifted_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  T *const r = e.pointer(k.of[0]), *const x = e.pointer(k.of[1]);
  range const a = e.at[w.axis];
  std::int64_t const distance = static_cast<std::int64_t>(w.value) * (w.far[0] < 0 ? -1 : 1), n = e.ext.of[w.axis];
  auto const &fr = k.far[0], &fx = k.far[1], &fy = k.far[2];
  auto from_initial = [&](std::int64_t t, std::int64_t count) {
    if (count <= 0) return;
    if (w.nargs < 2) return move<T>(e, k, r + e.offset(fr, t), nullptr, count, fr.stride, 0);
    nest s = k.part[0];
    if (s.varies) { nest room; s = resolved(k.part[0], e.at, room); }
    T* const y = e.pointer(k.of[2]);
    for (std::int64_t i = 0; i < count; ++i) {
      T* base[max_streams] = {r + e.offset(fr, t + i), y + e.offset(fy, t + i), nullptr, nullptr};
      run_map<T>(&copy_rows<T>, s, base, 1);
    }
  };
  if (a.step != 1 || a.n == 1 || fr.ring || fx.ring) {
    for (std::int64_t i = 0, t = a.lo; i < a.n; ++i, t += a.step) {
      std::int64_t const s = t - distance;
      if (s >= 0 && s < n) move(e, k, r + e.offset(fr, t), x + e.offset(fx, s), 1, 0, 0);
      else from_initial(t, 1);
    }
    return;
  }
  std::int64_t const end = a.lo + a.n, from = std::clamp(distance, a.lo, end), to = std::clamp(n + distance, from, end);
  from_initial(a.lo, from - a.lo);
  if (to > from) move(e, k, r + e.offset(fr, from), x + e.offset(fx, from - distance), to - from, fr.stride, fx.stride);
  from_initial(to, end - to);
}

// k.number[0]: the axis of the table. Streams of k.all: 0 result, 1 states, 2 leaf values.
template <class T> void take_task(engine<T>& e, task<T> const& k) {
  T *const r = e.pointer(k.of[0]), *const x = e.pointer(k.of[1]), *const y = e.pointer(k.of[2]), *const table = e.pointer(k.of[3]);
  int const axis = static_cast<int>(k.number[0]);
  range const a = e.at[axis];
  nest room;
  nest const& s = resolved(k.all, e.at, room);
  along const to = e.axis_of(k.node, axis), entry = e.axis_of(e.g[k.node].arg[2], axis);
  double const work = static_cast<double>(a.n) * (10 + 0.2 * static_cast<double>(elements(s)));
  each_piece(e.on, a.n, work, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin, t = a.lo + begin * a.step; i < end; ++i, t += a.step) {
      std::int64_t const j = static_cast<std::int64_t>(table[e.offset(entry, t)]);
      T* const base[3] = {r + e.offset(to, t), j >= 0 ? x + e.offset(k.far[1], j) : x, j >= 0 ? y : y + e.offset(k.far[2], ~j)};
      walk<3>(s, base, [j](T* const* p, std::int64_t n, std::int64_t const* q) {
        T* const from = j >= 0 ? p[1] : p[2];
        std::int64_t const stride = j >= 0 ? q[1] : q[2];
        if (q[0] == 1 && stride == 1) std::copy(from, from + n, p[0]);
        else for (std::int64_t c = 0; c < n; ++c) p[0][c * q[0]] = from[c * stride];
      });
    }
  });
}

// Adds in the order of the table's entries, found through its transpose.
template <class T> void put_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  int const own = w.kind == op::put ? w.axis : w.aux;
  T *const r = e.pointer(k.of[0]), *const x = e.pointer(k.of[1]);
  range const a = e.at[own];
  nest room;
  nest const& s = resolved(k.all, e.at, room);
  auto const& start = e.put_start[static_cast<std::size_t>(k.node)];
  auto const& item = e.put_item[static_cast<std::size_t>(k.node)];
  if (start.empty()) return fill(e, k.clear, r, T(0));
  double const work = static_cast<double>(a.n) * (10 + 0.4 * static_cast<double>(elements(s)));
  each_piece(e.on, a.n, work, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin, t = a.lo + begin * a.step; i < end; ++i, t += a.step) {
      T* const to = r + e.offset(k.far[0], t);
      T* const zero[1] = {to};
      walk<1>(s, zero, [](T* const* p, std::int64_t n, std::int64_t const* q) { fill(p[0], n, n == 1 ? 1 : q[0], T(0)); });
      for (std::int32_t c = start[static_cast<std::size_t>(t)]; c < start[static_cast<std::size_t>(t) + 1]; ++c) {
        T* const base[2] = {to, x + e.offset(k.far[1], item[static_cast<std::size_t>(c)])};
        walk<2>(s, base, [](T* const* p, std::int64_t n, std::int64_t const* q) {
          for (std::int64_t j = 0; j < n; ++j) p[0][j * q[0]] += p[1][j * q[1]];
        });
      }
    }
  });
}

inline int axis_in(axis_set s) {
  for (int a = 0; a < max_axes; ++a) if (s >> a & 1) return a;
  return -1;
}

}  // namespace detail

template <class T> void prepare_far(engine<T>& e, task<T>& k) {
  node const& w = e.g[k.node];
  if (w.kind == op::prev || w.kind == op::shift) {
    axis_set const rest = w.axes & ~bit_of(w.axis);
    k.of[0] = e.address_of(k.node, rest, 0, k.modes);
    k.of[1] = e.address_of(w.arg[0], rest, 0, k.modes);
    k.far[0] = e.axis_of(k.node, w.axis);
    k.far[1] = e.axis_of(w.arg[0], w.axis);
    k.all = e.loops(k, rest, 0, k.node, w.arg[0]);
    if (w.nargs > 1) {
      k.of[2] = e.address_of(w.arg[1], rest, 0, k.modes);
      k.far[2] = e.axis_of(w.arg[1], w.axis);
      k.part[0] = e.loops(k, rest, 0, k.node, w.arg[1]);
    }
    k.run = &detail::shifted_task<T>;
    return;
  }
  bool const take = w.kind == op::take;
  int const table = w.arg[take ? 2 : 1], axis = detail::axis_in(e.g[table].axes);
  k.number[0] = axis;
  if (take) {
    axis_set const rest = w.axes & ~bit_of(axis);
    k.of[0] = e.address_of(k.node, rest, 0, k.modes);
    k.of[1] = e.address_of(w.arg[0], rest & ~bit_of(w.axis), 0, k.modes);
    k.of[2] = e.address_of(w.arg[1], rest & ~bit_of(w.aux), 0, k.modes);
    k.of[3] = e.address_of(table, 0, 0, k.modes);
    k.far[1] = e.axis_of(w.arg[0], w.axis);
    k.far[2] = e.axis_of(w.arg[1], w.aux);
    k.all = e.loops(k, rest, 0, k.node, w.arg[0], w.arg[1]);
    k.run = &detail::take_task<T>;
    return;
  }
  int const own = w.kind == op::put ? w.axis : w.aux;
  axis_set const rest = w.axes & ~bit_of(own);
  k.of[0] = e.address_of(k.node, rest, 0, k.modes);
  k.of[1] = e.address_of(w.arg[0], rest & ~bit_of(axis), 0, k.modes);
  k.far[0] = e.axis_of(k.node, own);
  k.far[1] = e.axis_of(w.arg[0], axis);
  k.all = e.loops(k, rest, 0, k.node, w.arg[0]);
  k.clear = e.loops(k, w.axes, 0, k.node);
  k.run = &detail::put_task<T>;
}

}  // namespace dyadic::cpu
