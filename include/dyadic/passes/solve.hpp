// Solvers: rewrites that give a recurrence without a parallel plan an axis of passes. They change the function; at enough
// passes they equal it.
//   jacobi       a pass reads the states of the pass before. Exact at positions < k in pass k.
//   interleaved  pass 0 computes every row, pass p > 0 the rows t with t mod S = p - 1 anew (multicolour Gauss-Seidel; the Latent Recurrent
//                Transformer's training): every far edge along tokens reads the latest version of a row,
//                active * x + (1 - active) * before.
// The adjoint, the plans and the pass `rows` treat the result like any graph.
#pragma once
#include <initializer_list>

#include "dyadic/expr/op_table.hpp"
#include "dyadic/passes/components.hpp"

namespace dyadic {

/// The axis of a solver's passes; bound at run time: jacobi to K, interleaved to S + 1.
struct pass : axis<> {};
enum class solver_kind : std::uint8_t { none, jacobi, interleaved };

namespace detail {
/// The states a solver takes from another pass: those that feed the top of a stack back to its bottom (their cycle runs through a repeat
/// that they lie outside of). A recurrence without such a state gives all its states along the axis.
constexpr int states_to_cut(graph_view const& g, int axis, std::uint8_t* cut) {
  dependences const edges(g);
  component_finder finder(g, edges);
  scratch<std::int16_t> everything(g.size);
  for (int i = 0; i < g.size; ++i) everything.p[i] = static_cast<std::int16_t>(i);
  finder.mark(everything.p, g.size);
  int const n = finder.find(everything.p, g.size, 0);
  scratch<std::int16_t> const& comp = finder.of;
  scratch<axis_set> repeats(n);
  scratch<std::int16_t> members(n);
  axis_set depth = 0;
  for (int a = 0; a < g.naxes; ++a) if (g.axes[a].role == axis_role::repeat) depth |= bit_of(a);
  for (int i = 0; i < g.size; ++i) { repeats.p[comp.p[i]] |= g.nodes[i].axes & depth; ++members.p[comp.p[i]]; }
  int feedback = 0, all = 0;
  for (int k = 0; k < 2 && !(k && feedback); ++k) {
    for (int i = 0; i < g.size; ++i) {
      node const& x = g.nodes[i];
      if (x.kind != op::prev || x.axis != axis || x.far[0] <= 0) continue;
      bool const over_a_stack = (repeats.p[comp.p[i]] & ~x.axes) != 0;
      if (k == 0 ? over_a_stack : members.p[comp.p[i]] > 1) { cut[i] = 1; ++(k ? all : feedback); }
    }
  }
  if (feedback) {
    // States that only accompany one (read_or's "was something written") go with it: constants carried along the same axis.
    for (int i = 0; i < g.size; ++i) {
      node const& x = g.nodes[i];
      if (x.kind == op::prev && x.axis == axis && x.far[0] > 0 && x.arg[0] >= 0 && g.nodes[x.arg[0]].kind == op::constant) cut[i] = 1;
      if (x.kind == op::prev && x.axis == axis && x.far[0] > 0 && x.arg[0] >= 0 && g.nodes[x.arg[0]].kind == op::spread &&
          g.nodes[g.nodes[x.arg[0]].arg[0]].kind == op::constant) cut[i] = 1;
    }
  }
  return feedback + all;
}
}  // namespace detail

/// Rewrites g's recurrence along `axis`. The result has the axis `pass` (role pass), and for interleaved a leaf of role `active` over
/// (pass, axis). Leaves and outputs keep their places in the tables; outputs that depend on the pass gain its axis, outermost.
constexpr builder solve(graph_view const& g, int axis, solver_kind kind) {
  if (kind == solver_kind::none) return builder(g);
  builder b;
  b.tables_of(g);
  int const passes = axis_id<pass>(b);
  b.axes[passes].role = axis_role::pass;
  axis_set const bit = bit_of(passes);
  bool const interleaved = kind == solver_kind::interleaved;
  detail::scratch<std::uint8_t> cut(g.size);
  detail::states_to_cut(g, axis, cut.p);
  detail::scratch<std::int16_t> at(g.size, -1), before(g.size, -1), latest(g.size, -1);

  auto raw = [&](node const& x) { return b.nodes.push(x); };
  auto make = [&](op o, axis_set shape, int a0, int a1) {
    node x;
    x.kind = o; x.axes = shape;
    if (a0 >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(a0);
    if (a1 >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(a1);
    return raw(x);
  };
  for (int i = 0; i < g.size; ++i) {
    if (cut.p[i]) {   // the state of the pass before, then one position back
      node y;
      y.kind = op::prev; y.type = g.nodes[i].type; y.nargs = 1; y.far[0] = 1; y.value = 1; y.axis = static_cast<std::int8_t>(passes);
      y.axes = g.nodes[i].axes | bit; y.line = g.nodes[i].line;
      before.p[i] = static_cast<std::int16_t>(raw(y));
    }
    at.p[i] = static_cast<std::int16_t>(raw(g.nodes[i]));
  }
  for (int i = 0; i < g.size; ++i) {
    node& x = b[at.p[i]];
    for (int k = 0; k < x.nargs; ++k) if (x.arg[k] >= 0) x.arg[k] = at.p[x.arg[k]];
  }
  int on = -1, off = -1;
  if (interleaved) {
    on = make(op::input, bit | bit_of(axis), -1, -1);
    off = make(op::sub, bit | bit_of(axis), b.constant(1), on);
    leaf l;
    l.role = leaf_role::active; l.name = "active"; l.node = static_cast<std::int16_t>(on); l.rank = 2;
    l.order[0] = static_cast<std::int8_t>(passes); l.order[1] = static_cast<std::int8_t>(axis);
    b.leaves.push(l);
  }
  auto version = [&](int i) {   // what a far edge along the axis reads of g's node i
    if (!interleaved) return static_cast<int>(at.p[i]);
    if (latest.p[i] >= 0) return static_cast<int>(latest.p[i]);
    axis_set const shape = g.nodes[i].axes | bit;
    node y;
    y.kind = op::prev; y.nargs = 1; y.far[0] = 1; y.value = 1; y.axis = static_cast<std::int8_t>(passes); y.axes = shape;
    int const old = raw(y), fresh = make(op::mul, shape, on, at.p[i]), kept = make(op::mul, shape, off, old),
              now = make(op::add, shape, fresh, kept);
    b[old].arg[0] = static_cast<std::int16_t>(now);
    for (int k : {old, fresh, kept, now}) b[k].type = g.nodes[i].type;
    latest.p[i] = static_cast<std::int16_t>(now);
    return now;
  };
  for (int i = 0; i < g.size; ++i) {
    for (int k = 0; k < g.nodes[i].nargs; ++k) {
      if (!g.nodes[i].far[k] || g.nodes[i].axis != axis || g.nodes[i].arg[k] < 0) continue;
      if (g.nodes[i].kind == op::shift) continue;
      int const read = version(g.nodes[i].arg[k]);
      if (cut.p[i] && k == 0) {
        b[before.p[i]].arg[0] = static_cast<std::int16_t>(read);
        b[at.p[i]].arg[0] = before.p[i];
      } else {
        b[at.p[i]].arg[k] = static_cast<std::int16_t>(read);
      }
    }
  }
  // Whatever depends on a pass has one value per pass.
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < b.size(); ++i) {
      if (b[i].axes & bit) continue;
      for (int k = 0; k < b[i].nargs; ++k)
        if (b[i].arg[k] >= 0 && (b[b[i].arg[k]].axes & bit)) { b[i].axes |= bit; more = true; break; }
    }
  }
  for (int k = 0; k < b.leaves.size; ++k)
    if (b.leaves[k].role != leaf_role::active && b.leaves[k].node >= 0) b.leaves[k].node = at.p[b.leaves[k].node];
  for (int k = 0; k < b.outputs.size; ++k) {
    output& o = b.outputs[k];
    if (o.node < 0) continue;
    o.node = at.p[o.node];
    if (!(b.shape(o.node) & bit)) continue;
    if (o.rank == 8) { b.fail(fault::too_many_axes, 0); continue; }
    for (int r = o.rank++; r > 0; --r) o.order[r] = o.order[r - 1];
    o.order[0] = static_cast<std::int8_t>(passes);
  }
  return b;
}

}  // namespace dyadic
