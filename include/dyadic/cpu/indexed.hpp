// gather reads x at the positions an index operand gives; scatter, its transpose, adds there. Points are visited in a fixed order.
#pragma once
#include "dyadic/cpu/maps.hpp"

namespace dyadic::cpu {

namespace detail {

/// -1 for what is no position: negative, infinite, NaN.
template <class T> std::int64_t index_of(T v) { return v >= 0 && v < T(0x1p62) ? static_cast<std::int64_t>(v) : -1; }

// Streams of k.all (the points): 0 result, 1 table, 2 index; of k.part[0] (a row at a point): 0 result, 1 table.
template <class T> void gather_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  nest room, row_room;
  T* const base[3] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  nest const& row = resolved(k.part[0], e.at, row_room);
  std::int64_t const n = e.ext.of[w.axis];
  bool const flat = row.count == 1 && row.d[0].stride[0] == 1 && row.d[0].stride[1] == 1;
  auto copy = [&](T* const* p, std::int64_t m, std::int64_t const* q) {
    for (std::int64_t i = 0; i < m; ++i) {
      std::int64_t const j = index_of(p[2][i * q[2]]);
      T* const from[max_streams] = {p[0] + i * q[0], p[1] + i * q[1] + (j >= 0 && j < n ? e.offset(k.far[1], j) : 0), nullptr, nullptr};
      if (row.count == 0) *from[0] = j < 0 || j >= n ? T(0) : *from[1];
      else if (j < 0 || j >= n) fill(row, from[0], T(0));
      else if (flat) std::copy(from[1], from[1] + row.d[0].n, from[0]);
      else run_map<T>(&copy_rows<T>, row, from, 1);
    }
  };
  each_box<3>(e.on, resolved(k.all, e.at, room), base, 5 + 0.2 * static_cast<double>(elements(row)),
              [&](nest const& part, T* const* from, int) { walk<3>(part, from, copy); });
}

template <class T> void scatter_task(engine<T>& e, task<T> const& k) {
  node const& w = e.g[k.node];
  nest room, row_room;
  T* const base[3] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  fill(e, k.clear, base[0], T(0));
  T* const points[3] = {base[0] + k.number[0], base[1], base[2]};
  nest const& row = resolved(k.part[0], e.at, row_room);
  range const to = e.at[w.axis];
  std::int64_t const n = e.ext.of[w.axis];
  nest const& all = resolved(k.all, e.at, room);
  // Parts of a row: each adds its columns of all points.
  auto add = [&](nest const& part, T* const* shifted, int) {
    T* const at[3] = {shifted[0], shifted[1], points[2]};
    walk<3>(all, at, [&](T* const* p, std::int64_t m, std::int64_t const* q) {
      for (std::int64_t i = 0; i < m; ++i) {
        std::int64_t const j = index_of(p[2][i * q[2]]);
        if (j < 0 || j >= n || j < to.lo || j >= to.lo + to.n) continue;
        T* const from[2] = {p[0] + i * q[0] + e.offset(k.far[0], j) - e.offset(k.far[0], to.lo), p[1] + i * q[1]};
        walk<2>(part, from, [](T* const* v, std::int64_t len, std::int64_t const* s) {
          if (s[0] == 1 && s[1] == 1) for (std::int64_t c = 0; c < len; ++c) v[0][c] += v[1][c];
          else for (std::int64_t c = 0; c < len; ++c) v[0][c * s[0]] += v[1][c * s[1]];
        });
      }
    });
  };
  each_box<2>(e.on, row, points, 0.2 * static_cast<double>(elements(all)), add);
}

}  // namespace detail

template <class T> void prepare_gather(engine<T>& e, task<T>& k) {
  node const& w = e.g[k.node];
  int const x = w.arg[0], y = w.arg[1];
  axis_set const own = bit_of(w.axis), points = w.axes & e.g[y].axes;
  k.of[0] = e.address_of(k.node, w.axes, 0, k.modes);
  k.of[1] = e.address_of(x, w.axes & ~own, 0, k.modes);
  k.of[2] = e.address_of(y, w.axes, 0, k.modes);
  k.far[1] = e.axis_of(x, w.axis);
  k.all = e.loops(k, points, 0, k.node, x, y, -1, w.axis, 1);
  k.part[0] = e.loops(k, w.axes & ~points, 0, k.node, x);
  k.run = &detail::gather_task<T>;
}

template <class T> void prepare_scatter(engine<T>& e, task<T>& k) {
  node const& w = e.g[k.node];
  int const x = w.arg[0], y = w.arg[1];
  axis_set const own = bit_of(w.axis), shape = w.axes & ~own, all = e.g[x].axes | e.g[y].axes, gone = all & ~shape;
  k.of[0] = e.address_of(k.node, w.axes, 0, k.modes);
  k.of[1] = e.address_of(x, shape, gone, k.modes);
  k.of[2] = e.address_of(y, shape, gone, k.modes);
  k.far[0] = e.axis_of(k.node, w.axis);
  k.clear = e.loops(k, w.axes, 0, k.node);
  axis_set const points = e.g[y].axes | (gone & e.g[x].axes);
  k.all = e.loops(k, points, gone, k.node, x, y, -1, w.axis, 0);
  k.part[0] = e.loops(k, all & ~points, 0, k.node, x);
  k.number[0] = 0;
  k.run = &detail::scatter_task<T>;
}

}  // namespace dyadic::cpu
