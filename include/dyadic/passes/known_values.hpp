// Values that are known without data: pointwise operations on numbers, and conditions made of positions, extents and constants.
#pragma once
#include <cstdint>

#include "dyadic/expr/leaf.hpp"
#include "dyadic/expr/scratch.hpp"
#include "dyadic/plan/extents.hpp"

namespace dyadic {

/// A value, or that there is none.
struct known {
  bool ok = false;
  double value = 0;
};

/// Node x's function at one point, given its operands there. Only what is exact and allowed in a constant expression: no transcendentals.
constexpr known known_map(node const& x, double const* a) {
  constexpr double whole = 9007199254740992.0;   // 2^53: beyond it every double is an integer
  auto const floored = [](double v) {
    if (!(v > -whole && v < whole)) return v;
    double const t = static_cast<double>(static_cast<std::int64_t>(v));
    return t > v ? t - 1 : t;
  };
  auto const truth = [](bool c) { return known{true, c ? 1.0 : 0.0}; };
  if (x.type == dtype::bf16) return {};
  switch (x.kind) {
    case op::neg: return {true, -a[0]};
    case op::abs: return {true, a[0] < 0 ? -a[0] : a[0]};
    case op::floor: return {true, floored(a[0])};
    case op::add: return {true, a[0] + a[1]};
    case op::sub: return {true, a[0] - a[1]};
    case op::mul: return {true, a[0] * a[1]};
    case op::div: return a[1] == 0 || x.type != dtype::f32 ? known{} : known{true, a[0] / a[1]};
    case op::reciprocal: return a[0] == 0 ? known{} : known{true, 1 / a[0]};
    case op::minimum: return {true, a[1] < a[0] || a[1] != a[1] ? a[1] : a[0]};
    case op::maximum: return {true, a[1] > a[0] || a[1] != a[1] ? a[1] : a[0]};
    case op::modulo: return a[1] == 0 ? known{} : known{true, a[0] - a[1] * floored(a[0] / a[1])};
    case op::less: return truth(a[0] < a[1]);
    case op::less_equal: return truth(a[0] <= a[1]);
    case op::equal: return truth(a[0] == a[1]);
    case op::select: return {true, a[0] != 0 ? a[1] : a[2]};
    case op::clamp: {
      double const low = a[0] < a[1] ? a[1] : a[0];
      return {true, a[2] < low ? a[2] : low};
    }
    case op::cast:
      if (x.type == dtype::boolean) return truth(a[0] != 0);
      if (x.type != dtype::i32) return {true, a[0]};
      return !(a[0] > -whole && a[0] < whole) ? known{} : known{true, static_cast<double>(static_cast<std::int64_t>(a[0]))};
    default: return {};
  }
}

/// The value of a node at a position along one axis, where it depends on nothing else.
class position_evaluator {
 public:
  constexpr position_evaluator(graph_view graph, extents const& e, int along)
      : g_(graph), e_(e), axis_(along), values_(graph.size), at_(graph.size, -1) {}

  constexpr known operator()(int i, std::int64_t position) {
    if (i < 0) return {};
    if (at_.p[i] == position) return values_.p[i];
    node const& x = g_.nodes[i];
    known r;
    if (!(x.axes & ~bit_of(axis_))) {
      if (x.kind == op::constant) r = {true, x.value};
      else if (x.kind == op::iota) r = {true, static_cast<double>(position)};
      else if (x.kind == op::extent && x.axis >= 0 && e_.of[x.axis] >= 0) r = {true, static_cast<double>(e_.of[x.axis])};
      else if (x.kind == op::spread || x.kind == op::stop_gradient) r = (*this)(x.arg[0], position);
      else if (x.nargs > 0 && x.nargs <= 3 && !x.far[0]) {
        double a[3]{};
        bool all = true;
        for (int k = 0; k < x.nargs && all; ++k) {
          known const v = (*this)(x.arg[k], position);
          all = v.ok;
          a[k] = v.value;
        }
        if (all) r = known_map(x, a);
      }
    }
    values_.p[i] = r;
    at_.p[i] = position;
    return r;
  }

 private:
  graph_view g_;
  extents const& e_;
  int axis_;
  detail::scratch<known> values_;           // by node, valid for position at_
  detail::scratch<std::int64_t> at_;
};

/// How many rows a `keep` node stores: positions of its axis where its condition holds, or all of them where that cannot be known.
constexpr std::int64_t kept_rows(graph_view g, extents const& e, int keep) {
  node const& x = g.nodes[keep];
  std::int64_t const n = e.of[x.axis];
  std::int64_t rows = 0;
  position_evaluator holds(g, e, x.axis);
  for (std::int64_t t = 0; t < n; ++t) {
    known const k = holds(x.arg[1], t);
    if (!k.ok) return n;
    if (k.value != 0) ++rows;
  }
  return rows;
}

}  // namespace dyadic
