// Pointwise operations: one loop per op over contiguous operands, each a vector or one number. Other strides go through a small buffer.
#pragma once
#include <cmath>

#include "dyadic/cpu/engine.hpp"
#include "dyadic/cpu/vector_functions.hpp"
#include "dyadic/expr/op_table.hpp"

namespace dyadic::cpu {

/// r[i] = f(x[i], y[i], z[i]); bit k of `scalar`: operand k is one number.
template <class T> using map_kernel = void (*)(T* r, T const* x, T const* y, T const* z, unsigned scalar, std::int64_t n);

namespace detail {

template <op O, class T> T apply(T x, T y, T z) {
  if constexpr (op_info<O>::arity == 1) return static_cast<T>(op_info<O>::apply(x));
  else if constexpr (op_info<O>::arity == 2) return static_cast<T>(op_info<O>::apply(x, y));
  else return static_cast<T>(op_info<O>::apply(x, y, z));
}

template <op O, class T> void map_rows(T* r, T const* x, T const* y, T const* z, unsigned scalar, std::int64_t n) {
  constexpr int arity = op_info<O>::arity;
  if constexpr (arity == 1) {
    if (scalar & 1) fill(r, n, 1, apply<O, T>(*x, T{}, T{}));
    else if constexpr (has_vector_function<O, T>) vector_function<O>(r, x, n);
    else for (std::int64_t i = 0; i < n; ++i) r[i] = apply<O, T>(x[i], T{}, T{});
  } else if constexpr (arity == 2) {
    switch (scalar & 3) {
      case 0: for (std::int64_t i = 0; i < n; ++i) r[i] = apply<O, T>(x[i], y[i], T{}); break;
      case 1: { T const a = *x; for (std::int64_t i = 0; i < n; ++i) r[i] = apply<O, T>(a, y[i], T{}); break; }
      case 2: { T const b = *y; for (std::int64_t i = 0; i < n; ++i) r[i] = apply<O, T>(x[i], b, T{}); break; }
      default: fill(r, n, 1, apply<O, T>(*x, *y, T{}));
    }
  } else {
    if ((scalar & 7) == 4) {
      T const c = *z;
      for (std::int64_t i = 0; i < n; ++i) r[i] = apply<O, T>(x[i], y[i], c);
      return;
    }
    std::int64_t const a = scalar & 1 ? 0 : 1, b = scalar & 2 ? 0 : 1, c = scalar & 4 ? 0 : 1;
    for (std::int64_t i = 0; i < n; ++i) r[i] = apply<O, T>(x[i * a], y[i * b], z[i * c]);
  }
}

template <class T> void copy_rows(T* r, T const* x, T const*, T const*, unsigned scalar, std::int64_t n) {
  if (scalar & 1) fill(r, n, 1, *x);
  else if (r != x) std::copy(x, x + n, r);
}
template <class T, dtype To> void cast_rows(T* r, T const* x, T const*, T const*, unsigned scalar, std::int64_t n) {
  std::int64_t const a = scalar & 1 ? 0 : 1;
  for (std::int64_t i = 0; i < n; ++i) r[i] = op_info<op::cast>::apply(x[i * a], To);
}

template <op O, class T> constexpr map_kernel<T> mapped() {
  if constexpr (O == op::cast || O == op::stop_gradient || O == op::probe) return &copy_rows<T>;
  else if constexpr (op_info<O>::kind == op_class::map) return &map_rows<O, T>;
  else return nullptr;
}
template <class T> inline constexpr map_kernel<T> map_kernels[] = {
#define DYADIC_MAP_KERNEL(name) mapped<op::name, T>(),
    DYADIC_OPS(DYADIC_MAP_KERNEL)
#undef DYADIC_MAP_KERNEL
};

}  // namespace detail

/// The kernel of a pointwise node.
template <class T> map_kernel<T> kernel_of(node const& x) {
  if (x.kind == op::cast) {
    if (x.type == dtype::i32) return &detail::cast_rows<T, dtype::i32>;
    if (x.type == dtype::boolean) return &detail::cast_rows<T, dtype::boolean>;
    if (x.type == dtype::bf16) return &detail::cast_rows<T, dtype::bf16>;
    return &detail::copy_rows<T>;
  }
  if (x.kind == op::spread || x.kind == op::keep) return &detail::copy_rows<T>;
  return detail::map_kernels<T>[static_cast<int>(x.kind)];
}

/// Runs a kernel over a nest of (result, operands).
template <class T> void run_map(map_kernel<T> f, nest const& s, T* const* base, int operands) {
  constexpr std::int64_t block = 256;
  walk<max_streams>(s, base, [&](T* const* p, std::int64_t n, std::int64_t const* q) {
    unsigned scalar = 0;
    bool direct = n == 1 || q[0] == 1;
    for (int k = 1; k <= operands; ++k) {
      if (q[k] == 0 || n == 1) scalar |= 1u << (k - 1);
      else if (q[k] != 1) direct = false;
    }
    if (direct) return f(p[0], p[1], p[2], p[3], scalar, n);
    T room[max_streams][block];
    for (std::int64_t i = 0; i < n; i += block) {
      std::int64_t const m = (std::min)(block, n - i);
      T const* x[max_streams] = {p[0], p[1], p[2], p[3]};
      for (int k = 1; k <= operands; ++k) {
        if (q[k] == 0) continue;
        if (q[k] == 1) { x[k] = p[k] + i; continue; }
        for (std::int64_t j = 0; j < m; ++j) room[k][j] = p[k][(i + j) * q[k]];
        x[k] = room[k];
      }
      T* const r = q[0] == 1 ? p[0] + i : room[0];
      f(r, x[1], x[2], x[3], scalar, m);
      if (q[0] != 1) for (std::int64_t j = 0; j < m; ++j) p[0][(i + j) * q[0]] = r[j];
    }
  });
}

namespace detail {
/// Nanoseconds an element.
inline double map_work(op kind) {
  return kind == op::add || kind == op::mul || kind == op::sub || kind == op::neg || kind == op::spread || kind == op::keep ? 0.2 : 0.6;
}
template <class T> void map_task(engine<T>& e, task<T> const& k) {
  node const& x = e.g[k.node];
  nest room;
  int const operands = static_cast<int>(k.number[0]);
  T* base[max_streams]{};
  for (int i = 0; i <= operands; ++i) base[i] = e.pointer(k.of[i]);
  each_box<max_streams>(e.on, resolved(k.all, e.at, room), base, map_work(x.kind),
                        [&](nest const& part, T* const* p, int) { run_map(kernel_of<T>(x), part, p, operands); });
}
}  // namespace detail

/// A pointwise op, spread, or keep: operands are repeated over the axes they lack.
template <class T> void prepare_map(engine<T>& e, task<T>& k) {
  node const& x = e.g[k.node];
  int const operands = x.kind == op::keep || x.kind == op::spread ? 1 : x.nargs;
  int a[3] = {-1, -1, -1};
  k.of[0] = e.address_of(k.node, x.axes, 0, k.modes);
  for (int i = 0; i < operands; ++i) {
    a[i] = x.arg[i];
    k.of[i + 1] = e.address_of(a[i], x.axes, 0, k.modes);
  }
  k.number[0] = operands;
  k.all = e.loops(k, x.axes, 0, k.node, a[0], a[1], a[2]);
  k.run = &detail::map_task<T>;
}

}  // namespace dyadic::cpu
