// What an op's derivative is written with: building blocks that add nodes to a reverse sweep.
#pragma once
#include "dyadic/expr/builder.hpp"

namespace dyadic {

class gradient {
 public:
  builder& b;
  std::int16_t* bar;               ///< by node: its cotangent so far, or -1
  std::uint8_t const* wanted;      ///< by node: something whose gradient is asked for lies behind it
  std::int16_t *opened, *closed;   ///< by node: the nodes its `open` made, [opened, closed)
  void (*derive)(gradient&, int i, int d) = nullptr;   ///< runs the derivative of node i's op, for ops that hold others (a fold its score)
  bool pairs = false;              ///< inside a fold's score: cotangents stay per pair, nothing is summed

  constexpr node const& at(int i) const { return b[i]; }
  constexpr axis_set shape(int i) const { return b.shape(i); }
  constexpr int arg(int i, int k) const { return b[i].arg[k]; }
  constexpr bool wants(int i) const { return i >= 0 && wanted[i]; }

  constexpr int number(double v) { return b.constant(v); }
  constexpr int map(op kind, int x, double value = 0) { return b.map(kind, x, value); }
  constexpr int map(op kind, int x, int y) { return b.map(kind, x, y); }
  constexpr int add(int x, int y) { return map(op::add, x, y); }
  constexpr int sub(int x, int y) { return map(op::sub, x, y); }
  constexpr int mul(int x, int y) { return map(op::mul, x, y); }
  constexpr int div(int x, int y) { return map(op::div, x, y); }
  constexpr int neg(int x) { return map(op::neg, x); }
  constexpr int scale(int x, double s) { return mul(x, number(s)); }
  /// a where c holds, else b.
  constexpr int select(int c, int x, int y) { return b.make(op::select, shape(c) | shape(x) | shape(y), at(x).type, 0, c, x, y); }
  /// x compared with y, as booleans.
  constexpr int compare(op kind, int x, int y) { return b.make(kind, shape(x) | shape(y), dtype::boolean, 0, x, y); }
  /// A boolean as 0 or 1.
  constexpr int as_real(int c) { return b.make(op::cast, shape(c), dtype::f32, 0, c); }
  /// sum over what x has and `to` lacks, repeated over what `to` has and x lacks.
  constexpr int fit(int x, axis_set to) {
    if (shape(x) & ~to) x = b.make(op::sum, shape(x) & to, dtype::f32, 0, x);
    if (to & ~shape(x)) x = b.make(op::spread, to, dtype::f32, 0, x);
    return x;
  }
  /// sum over everything `to` lacks of x * y, repeated over what neither has.
  constexpr int dot(int x, int y, axis_set to) {
    if (pairs) return mul(x, y);
    axis_set const both = shape(x) | shape(y);
    int const r = (both & ~to) ? b.make(op::contract, both & to, dtype::f32, 0, x, y) : mul(x, y);
    return fit(r, to);
  }
  /// A copy of node i with another kind, shape and operands: the transposes of views.
  constexpr int like(int i, op kind, axis_set to, int a0, int a1 = -1) {
    node x = b[i];
    x.kind = kind; x.axes = to; x.nargs = 0; x.type = dtype::f32;
    for (auto& a : x.arg) a = -1;
    for (auto& f : x.far) f = 0;
    if (a0 >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(a0);
    if (a1 >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(a1);
    return b.push(x);
  }
  /// bar[i] += y, summed or repeated to i's shape. Nothing is built for nodes that no wanted leaf lies behind.
  constexpr void give(int i, int y) {
    if (!wants(i)) return;
    if (pairs) { bar[i] = static_cast<std::int16_t>(bar[i] < 0 ? y : add(bar[i], y)); return; }
    y = fit(y, shape(i));
    bar[i] = static_cast<std::int16_t>(bar[i] < 0 ? y : b.make(op::add, shape(i), dtype::f32, 0, bar[i], y));
  }
  /// bar of the k-th operand of node i.
  constexpr void give_arg(int i, int k, int y) { give(arg(i, k), y); }
};

}  // namespace dyadic
