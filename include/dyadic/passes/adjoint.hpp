// Reverse mode. The recurrence is differentiated, not a schedule of it: far edges are reversed, everything else is each op's derivative.
// Whatever arrange then finds for the result (mirrored tiles, whole-sequence weight gradients) follows from the graph alone.
#pragma once
#include "dyadic/expr/op_table.hpp"

namespace dyadic {

/// What is differentiated, with respect to what.
struct adjoint_request {
  std::uint32_t outputs = 0;       ///< a bit for every output that gets a seed; 0: the output named "loss"
  bool parameters = true;
  bool inputs = false;             ///< real-valued inputs as well
};

namespace detail {
constexpr int find_output(graph_view const& g, char const* name) {
  for (int i = 0; i < g.noutputs; ++i) if (same_text(g.outputs[i].name, name)) return i;
  return -1;
}
constexpr bool wants_gradient(graph_view const& g, leaf const& l, adjoint_request const& r) {
  if (l.node < 0) return false;
  if (l.role == leaf_role::parameter) return r.parameters;
  return r.inputs && l.role == leaf_role::input && g.nodes[l.node].type == dtype::f32;
}
/// Marks the nodes that something wanted lies behind, along near and far edges.
constexpr void mark_wanted(graph_view const& g, std::uint8_t* wanted) {
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < g.size; ++i) {
      node const& x = g.nodes[i];
      if (wanted[i] || x.kind == op::stop_gradient) continue;
      for (int k = 0; k < x.nargs; ++k) {
        if (x.arg[k] < 0 || !wanted[x.arg[k]]) continue;
        wanted[i] = 1;
        more = true;
        break;
      }
    }
  }
}
}  // namespace detail

/// The joint graph: g's nodes under their numbers, then those of the reverse sweep. Every differentiated output gets a leaf of role `seed`
/// (its cotangent, of its shape), every wanted leaf an output of role `gradient`. Fails (fault::no_derivative) where an op without a
/// derivative lies between; nothing is built towards leaves that were not asked for.
constexpr builder adjoint(graph_view const& g, adjoint_request const& request = {}) {
  builder b(g);
  detail::scratch<std::uint8_t> wanted(g.size), reached(g.size);
  detail::scratch<std::int16_t> bar(g.size, -1), opened(g.size, 0), closed(g.size, 0);
  for (int i = 0; i < g.nleaves; ++i) if (detail::wants_gradient(g, g.leaves[i], request)) wanted.p[g.leaves[i].node] = 1;
  detail::mark_wanted(g, wanted.p);
  int const loss = request.outputs ? -1 : detail::find_output(g, "loss");
  auto const asked = [&](int k) { return request.outputs ? k < 32 && (request.outputs >> k & 1) : k == loss; };

  // Only what the differentiated outputs depend on takes part.
  {
    detail::scratch<std::int16_t> todo(g.size + 1);
    int n = 0;
    for (int k = 0; k < g.noutputs; ++k) {
      int const i = g.outputs[k].node;
      if (asked(k) && i >= 0 && !reached.p[i]) { reached.p[i] = 1; todo.p[n++] = static_cast<std::int16_t>(i); }
    }
    while (n) {
      node const& x = g.nodes[todo.p[--n]];
      if (x.kind == op::stop_gradient || x.type == dtype::boolean || x.type == dtype::i32) continue;
      for (int k = 0; k < x.nargs; ++k)
        if (x.arg[k] >= 0 && !reached.p[x.arg[k]]) { reached.p[x.arg[k]] = 1; todo.p[n++] = x.arg[k]; }
    }
    for (int i = 0; i < g.size; ++i) wanted.p[i] = wanted.p[i] && reached.p[i];
  }

  gradient sweep{b, bar.p, wanted.p, opened.p, closed.p, &derivative_of_node};
  for (int i = 0; i < g.size; ++i) {
    opened.p[i] = static_cast<std::int16_t>(b.size());
    if (wanted.p[i]) derivative(g.nodes[i].kind).open(sweep, i);
    closed.p[i] = static_cast<std::int16_t>(b.size());
  }
  for (int k = 0; k < g.noutputs; ++k) {
    if (!asked(k)) continue;
    output const& o = g.outputs[k];
    leaf l;
    l.role = leaf_role::seed; l.name = o.name; l.of = static_cast<std::int8_t>(k); l.rank = o.rank;
    for (int r = 0; r < o.rank; ++r) l.order[r] = o.order[r];
    l.node = static_cast<std::int16_t>(b.make(op::input, b.shape(o.node)));
    b.leaves.push(l);
    sweep.give(o.node, l.node);
  }
  for (int i = g.size - 1; i >= 0; --i) {
    if (!wanted.p[i]) continue;
    // What reads a state or a memory may have no derivative by it: the far edges that were opened for it carry 0.
    if (bar.p[i] < 0 && closed.p[i] > opened.p[i]) bar.p[i] = static_cast<std::int16_t>(b.make(op::constant, b.shape(i) & ~pair_bit));
    if (bar.p[i] < 0) continue;
    if (!traits(g.nodes[i].kind).differentiable) b.fail(fault::no_derivative, g.nodes[i].line);
    derivative(g.nodes[i].kind).adjoint(sweep, i, bar.p[i]);
  }
  for (int k = 0; k < g.nleaves; ++k) {
    leaf const& l = g.leaves[k];
    if (!detail::wants_gradient(g, l, request)) continue;
    output o;
    o.role = output_role::gradient; o.leaf = static_cast<std::int16_t>(k); o.name = l.name;
    if (l.index_axis >= 0 && l.rank == 8) { b.fail(fault::too_many_axes, 0); continue; }
    if (l.index_axis >= 0) o.order[o.rank++] = l.index_axis;
    for (int r = 0; r < l.rank; ++r) o.order[o.rank++] = l.order[r];
    o.node = bar.p[l.node] >= 0 ? bar.p[l.node] : static_cast<std::int16_t>(b.make(op::constant, g.nodes[l.node].axes));
    b.outputs.push(o);
  }
  return b;
}

}  // namespace dyadic
