// Removes what no result needs and what costs work without changing a value, and shares common subexpressions again.
// Not x * 0: it would lose a NaN. Linear in the graph's size.
#pragma once
#include "dyadic/expr/builder.hpp"
#include "dyadic/expr/op_table.hpp"
#include "dyadic/passes/known_values.hpp"

namespace dyadic {

namespace detail {

/// Output k in a mask of outputs; the 32nd and all later ones share bit 31.
constexpr std::uint32_t output_bit(int k) { return std::uint32_t{1} << (k < 31 ? k : 31); }

/// Copies a graph node by node into a builder. Axes, leaves, paths and trees keep their numbers.
class rebuilder {
 public:
  graph_view g;
  builder b;
  scratch<std::int16_t> to;         ///< by old node: the new one, or -1

  constexpr explicit rebuilder(graph_view graph) : g(graph), to(graph.size, -1) {
    b.nodes.reserve(g.size);
    for (int i = 0; i < g.naxes; ++i) b.axes.push(g.axes[i]);
    for (int i = 0; i < g.npaths; ++i) b.paths.push(g.paths[i]);
    for (int i = 0; i < g.ntrees; ++i) b.trees.push(g.trees[i]);
    for (int i = 0; i < g.nleaves; ++i) b.leaves.push(g.leaves[i]);
    for (int i = 0; i < g.size; ++i)
      if (traits(g.nodes[i].kind).random && g.nodes[i].slot >= b.streams) b.streams = g.nodes[i].slot + 1;
  }

  /// Node i with its operands renumbered. Far operands that do not exist yet are linked by finish().
  constexpr node renumbered(int i, bool& open) const {
    node x = g.nodes[i];
    open = false;
    for (int k = 0; k < x.nargs; ++k) {
      if (x.arg[k] < 0) continue;
      int const a = to.p[x.arg[k]];
      if (a < 0) open = true;
      x.arg[k] = static_cast<std::int16_t>(a);
    }
    return x;
  }
  constexpr int copy(int i) {
    bool open = false;
    node const x = renumbered(i, open);
    if (!open) return b.push(x);
    if (!x.distinct)
      for (int k = 0; k < open_.size; ++k)
        if (same_open(open_.p[k].from, open_.p[k].to, i) && b.nodes.p[open_.p[k].to].same(x)) return open_.p[k].to;
    int const r = b.push(x);
    open_.push({static_cast<std::int16_t>(i), static_cast<std::int16_t>(r)});
    return r;
  }
  /// Links far operands, leaves and the outputs in `mask`.
  constexpr builder& finish(std::uint32_t mask = ~std::uint32_t{0}) {
    for (int q = 0; q < open_.size; ++q) {
      node const& old = g.nodes[open_.p[q].from];
      node& x = b.nodes.p[open_.p[q].to];
      for (int k = 0; k < old.nargs; ++k) if (old.arg[k] >= 0 && old.far[k]) x.arg[k] = to.p[old.arg[k]];
    }
    for (int i = 0; i < g.nleaves; ++i) {
      std::int16_t& n = b.leaves.p[i].node;
      if (n >= 0) n = to.p[n];
    }
    for (int i = 0; i < g.noutputs; ++i) {
      if (!kept(mask, i)) continue;
      output o = g.outputs[i];
      if (o.node >= 0) o.node = to.p[o.node];
      b.outputs.push(o);
    }
    return b;
  }
  static constexpr bool kept(std::uint32_t mask, int output) { return (mask & output_bit(output)) != 0; }

  /// By node: whether an output in `mask` depends on it.
  constexpr void mark_needed(std::uint8_t* need, std::uint32_t mask) const {
    scratch<std::int16_t> todo(g.size);
    int n = 0;
    for (int i = 0; i < g.noutputs; ++i) {
      int const o = g.outputs[i].node;
      if (kept(mask, i) && o >= 0 && !need[o]) { need[o] = 1; todo.p[n++] = static_cast<std::int16_t>(o); }
    }
    while (n) {
      node const& x = g.nodes[todo.p[--n]];
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a >= 0 && !need[a]) { need[a] = 1; todo.p[n++] = static_cast<std::int16_t>(a); }
      }
    }
  }

 private:
  struct pair_t { std::int16_t from, to; };
  grown<pair_t> open_;              // copied before all their far operands

  constexpr bool same_open(int i, int made, int j) const {   // `made`: i's copy, whose operands stay open until the end
    node const &x = g.nodes[i], &y = g.nodes[j];
    if (x.nargs != y.nargs) return false;
    for (int k = 0; k < x.nargs; ++k)
      if (x.arg[k] >= 0 && b.nodes.p[made].arg[k] < 0 && x.arg[k] != y.arg[k]) return false;
    return true;
  }
};

class simplifier {
 public:
  rebuilder r;
  constexpr explicit simplifier(graph_view g) : r(g) {}

  constexpr builder run() {
    scratch<std::uint8_t> need(r.g.size);
    r.mark_needed(need.p, ~std::uint32_t{0});
    for (int i = 0; i < r.g.size; ++i) if (need.p[i]) r.to.p[i] = static_cast<std::int16_t>(one(i));
    return static_cast<builder&&>(r.finish());
  }

 private:
  constexpr node const& at(int i) const { return r.b.nodes.p[i]; }
  constexpr bool is_number(int i, double v) const { return i >= 0 && at(i).kind == op::constant && at(i).value == v; }
  constexpr int spread(int x, axis_set to) {
    if (at(x).axes == to) return x;
    if (at(x).kind == op::constant) return r.b.make(op::constant, to, at(x).type, at(x).value);
    while (at(x).kind == op::spread && !at(x).distinct) x = at(x).arg[0];
    return r.b.make(op::spread, to, at(x).type, 0, x);
  }

  constexpr int one(int i) {
    bool open = false;
    node const x = r.renumbered(i, open);
    if (open || x.distinct || (x.axes & pair_bit) || (x.nargs > 0 && x.far[0])) return r.copy(i);
    int const known_node = fold_constant(x);
    if (known_node >= 0) return known_node;
    int const a = x.arg[0], c = x.arg[1];
    switch (x.kind) {
      case op::mul:
        if (is_number(c, 1)) return spread(a, x.axes);
        if (is_number(a, 1)) return spread(c, x.axes);
        break;
      case op::add:
        if (is_number(c, 0)) return spread(a, x.axes);
        if (is_number(a, 0)) return spread(c, x.axes);
        break;
      case op::sub: if (is_number(c, 0)) return spread(a, x.axes); break;
      case op::div: if (is_number(c, 1)) return spread(a, x.axes); break;
      case op::neg: if (at(a).kind == op::neg && !at(a).distinct) return at(a).arg[0]; break;
      case op::cast: if (at(a).type == x.type) return a; break;
      case op::select: if (at(a).kind == op::constant) return spread(at(a).value != 0 ? c : x.arg[2], x.axes); break;
      case op::spread: return spread(a, x.axes);
      case op::sum: return sum(a, x);
      default: break;
    }
    return r.copy(i);
  }

  // A pointwise operation on numbers is a number over the result's axes.
  constexpr int fold_constant(node const& x) {
    if (traits(x.kind).kind != op_class::map || x.nargs > 3 || x.nargs == 0) return -1;
    double v[3]{};
    for (int k = 0; k < x.nargs; ++k) {
      if (x.arg[k] < 0 || at(x.arg[k]).kind != op::constant) return -1;
      v[k] = at(x.arg[k]).value;
    }
    known const y = known_map(x, v);
    return y.ok ? r.b.make(op::constant, x.axes, x.type, y.value) : -1;
  }

  // The sum over axes that the operand only repeats is a product with their extents.
  constexpr int sum(int a, node const& x) {
    if (at(a).axes == x.axes) return a;
    bool const repeated = (at(a).kind == op::spread || at(a).kind == op::constant) && !at(a).distinct;
    axis_set const own = at(a).kind == op::spread ? at(at(a).arg[0]).axes : 0;
    axis_set const times = at(a).axes & ~own & ~x.axes;
    if (!repeated || !times) {
      node y = x;
      return r.b.push(y);
    }
    int v = at(a).kind == op::spread ? at(a).arg[0] : r.b.make(op::constant, 0, at(a).type, at(a).value);
    if (own & ~x.axes) {
      node y = x;
      y.axes = own & x.axes;
      y.arg[0] = static_cast<std::int16_t>(v);
      v = r.b.push(y);
    }
    for (int k = 0; k < r.b.axes.size; ++k) {
      if (!(times & bit_of(k))) continue;
      node n;
      n.kind = op::extent; n.axis = static_cast<std::int8_t>(k);
      int const length = r.b.push(n);
      v = is_number(v, 1) ? length : r.b.map(op::mul, v, length);
    }
    return spread(v, x.axes);
  }
};

}  // namespace detail

/// Only the outputs whose bit is set in `mask` (bit k: output k; bit 31: the 32nd and all later ones), and what they need.
constexpr builder keep_outputs(graph_view g, std::uint32_t mask) {
  detail::rebuilder r(g);
  detail::scratch<std::uint8_t> need(g.size);
  r.mark_needed(need.p, mask);
  for (int i = 0; i < g.size; ++i) if (need.p[i]) r.to.p[i] = static_cast<std::int16_t>(r.copy(i));
  return static_cast<builder&&>(r.finish(mask));
}

/// The same values with less: no node that no output needs, numbers folded, x * 1, x + 0, --x, repeats of repeats and sums of repeats
/// undone.
/// A leaf that nothing needs keeps its place in the table with node = -1.
constexpr builder simplify(graph_view g) {
  builder const all = detail::simplifier(g).run();
  return keep_outputs(all.view(), ~std::uint32_t{0});   // what was simplified away may have had the last reader of others
}

}  // namespace dyadic
