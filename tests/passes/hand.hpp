// Graphs and plans made by hand, for tests of single passes.
#pragma once
#include <random>
#include <vector>

#include "dyadic/expr/builder.hpp"
#include "dyadic/plan/extents.hpp"
#include "dyadic/plan/plan.hpp"
#include "support/reference_evaluator.hpp"

namespace dyadic::testing {

/// A builder with shorthand for nodes, leaves and outputs. Usable in constant expressions.
struct hand : builder {
  constexpr int new_axis(std::uint64_t key, axis_role role = axis_role::plain, std::int64_t extent = -1) {
    axis_info a;
    a.key = key; a.role = role; a.extent = extent; a.name = "axis"; a.name_size = 4;
    return axis(a);
  }
  constexpr int leaf_over(axis_set s, leaf_role role = leaf_role::input) {
    int const i = make(role == leaf_role::parameter ? op::param : op::input, s);
    leaf l;
    l.node = static_cast<std::int16_t>(i); l.role = role; l.name = "x";
    for (int a = 0; a < axes.size; ++a) if (s & bit_of(a)) l.order[l.rank++] = static_cast<std::int8_t>(a);
    leaves.push(l);
    return i;
  }
  constexpr int result(int i, output_role role = output_role::result) {
    output o;
    o.node = static_cast<std::int16_t>(i); o.role = role;
    return outputs.push(o);
  }
  constexpr int repeated(int x, axis_set to) { return make(op::spread, to, dtype::f32, 0, x); }
  constexpr int summed(int x, axis_set to) { return make(op::sum, to, dtype::f32, 0, x); }
  constexpr int product(int x, int y, axis_set to) { return make(op::contract, to, dtype::f32, 0, x, y); }
  /// The state x, n positions earlier; link() it later when x is -1.
  constexpr int earlier(int axis, axis_set s, int x, int initial = -1, int n = 1) {
    node p;
    p.kind = op::prev; p.axis = static_cast<std::int8_t>(axis); p.axes = s; p.value = n; p.far[0] = 1; p.nargs = initial >= 0 ? 2 : 1;
    p.arg[0] = static_cast<std::int16_t>(x); p.arg[1] = static_cast<std::int16_t>(initial);
    p.slot = static_cast<std::int16_t>(nodes.size);
    return push(p);
  }
  constexpr void link(int reader, int x) { nodes.p[reader].arg[0] = static_cast<std::int16_t>(x); }
};

/// A plan written down: run(i), begin(axis), end().
struct hand_plan : plan {
  detail::grown<int> open;
  constexpr hand_plan& run(int i) { stmt t; t.id = static_cast<std::int16_t>(i); s.push(t); return *this; }
  constexpr hand_plan& begin(int axis, int dir = 1) {
    stmt t;
    t.kind = stmt::begin; t.id = static_cast<std::int16_t>(axis); t.dir = static_cast<std::int8_t>(dir);
    open.push(s.push(t));
    return *this;
  }
  constexpr hand_plan& end() {
    int const b = open.p[--open.size];
    stmt t;
    t.kind = stmt::end; t.id = s.p[b].id; t.other = static_cast<std::int16_t>(b);
    s.p[b].other = static_cast<std::int16_t>(s.push(t));
    return *this;
  }
};

constexpr extents all_axes(graph_view g, std::int64_t n) {
  extents e;
  for (int a = 0; a < g.naxes; ++a) e.of[a] = g.axes[a].extent >= 0 ? g.axes[a].extent : n;
  return e;
}

/// The value of every output by definition, on the same random leaves for graphs with the same leaf table.
inline std::vector<std::vector<double>> outputs_of(graph_view g, extents const& e) {
  std::vector<std::int64_t> n(e.of, e.of + max_axes);
  std::vector<std::vector<double>> leaves;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int l = 0; l < g.nleaves; ++l) {
    std::int64_t size = g.leaves[l].index_axis >= 0 ? n[static_cast<std::size_t>(g.leaves[l].index_axis)] : 1;
    for (int k = 0; k < g.leaves[l].rank; ++k) size *= n[static_cast<std::size_t>(g.leaves[l].order[k])];
    auto& data = leaves.emplace_back(static_cast<std::size_t>(size));
    leaf_role const role = g.leaves[l].role;
    bool const real = role == leaf_role::parameter || role == leaf_role::input || role == leaf_role::seed;
    for (double& v : data) v = real ? normal(random) : static_cast<double>(random() % 3);
    if (g.leaves[l].role == leaf_role::child || g.leaves[l].role == leaf_role::root) data.clear();   // the evaluator fills these
  }
  reference_evaluator judge(g, n, leaves);
  std::vector<std::vector<double>> r;
  for (int k = 0; k < g.noutputs; ++k) r.push_back(judge.all(g.outputs[k].node));
  return r;
}

}  // namespace dyadic::testing
