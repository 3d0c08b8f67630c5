// A dependence proof: what the value at position t of a sequence may depend on. One of five classes per node, raised until nothing moves.
#pragma once
#include "dyadic/passes/dependences.hpp"

namespace dyadic {

/// What a value at position t, of chunk c, may depend on. Only the order matters: every class includes the ones before it.
enum class reach : std::uint8_t {
  nothing,          ///< no position of any input
  earlier_chunks,   ///< positions of the chunks before c
  up_to_t,          ///< positions 0 ... t
  whole_chunk,      ///< positions 0 ... the end of c
  everything        ///< any position, or the length of the sequence
};

/// The axes that advance with a sequence: itself, the parts it is split into (again and again), the merges of trees over it.
struct moving_axes {
  axis_set positions = 0;     ///< the sequence
  axis_set chunks = 0;        ///< the outer parts
  axis_set within = 0;        ///< the inner parts
  axis_set split_again = 0;   ///< inner parts that are themselves split
  axis_set merges = 0;        ///< of trees
  bool one_chunking = true;   ///< false: "chunk" is ambiguous, and no value counts as known before its chunk
  constexpr axis_set parts() const { return positions | chunks | within; }
  /// What has one of these has a value per position, not per chunk.
  constexpr axis_set per_position() const { return (positions | within) & ~split_again; }
};

constexpr moving_axes moving_along(graph_view g, int axis) {
  moving_axes m;
  m.positions = bit_of(axis);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < g.size; ++i) {
      node const& x = g.nodes[i];
      if (x.kind == op::take && (m.parts() >> x.aux & 1)) m.merges |= bit_of(x.axis);
      if ((x.kind != op::split && x.kind != op::merge) || !(m.parts() >> x.axis & 1)) continue;
      axis_set const outer = bit_of(x.aux), inner = bit_of(x.inner);
      if ((m.parts() & (outer | inner)) == (outer | inner)) continue;
      if (m.chunks || x.axis != axis) m.one_chunking = false;
      if (m.within >> x.axis & 1) m.split_again |= bit_of(x.axis);
      if (m.chunks >> x.axis & 1) m.chunks |= inner; else m.within |= inner;
      m.chunks |= outer;
      more = true;
    }
  }
  return m;
}

/// The verdict, and the class of every node. When not ok: the first operation that made a result depend on later positions.
struct causality {
  bool ok = true;
  int node = -1;
  op kind{};
  int line = 0;
  detail::grown<reach> of;   ///< by node
};

namespace detail {
class causality_classes {
 public:
  moving_axes moving;
  grown<reach> of;             ///< by node
  scratch<std::int16_t> why;   ///< by node: where its class rose above up_to_t

  constexpr causality_classes(graph_view graph, dependences const& edges, int axis)
      : moving(moving_along(graph, axis)),
        why(graph.size, -1),
        g(graph),
        d(edges),
        whole(moving.positions | moving.chunks | moving.merges) {
    of.reserve(g.size);
    of.size = g.size;
    for (bool more = true; more;) {
      more = false;
      for (int i = 0; i < g.size; ++i) more = raise_node(i) || more;
    }
  }

 private:
  graph_view g;
  dependences const& d;
  axis_set whole;   // losing, or reading across, one of these means: everything

  // What the node has of its own.
  constexpr reach own(node const& x) const {
    if (x.kind == op::input) {
      if (x.axes & moving.positions) return reach::up_to_t;
      if (!(x.axes & whole)) return reach::nothing;
      if (!moving.one_chunking) return reach::everything;
      return x.axes & moving.within ? reach::up_to_t : reach::whole_chunk;
    }
    // The length of a sequence is known when it is over; so is a position counted from its end.
    bool const counts = x.kind == op::extent || x.kind == op::if_empty || (x.value < 0 && (x.kind == op::place || x.kind == op::pick));
    return counts && x.axis >= 0 && ((moving.parts() | moving.merges) & ~moving.within) >> x.axis & 1 ? reach::everything : reach::nothing;
  }
  // The parts of an axis are other names for its positions; a tree's tables are proved where the tree is made.
  constexpr bool renames_positions(node const& x) const {
    if (x.kind == op::split || x.kind == op::merge) return moving.parts() >> x.axis & 1;
    return x.kind == op::take && (moving.parts() >> x.aux & 1) && x.far[0] >= 0;
  }
  constexpr reach through(int i, dependence const& e, bool renames) const {
    node const& x = g.nodes[i];
    reach k = of.p[e.on];
    if (renames) return x.kind == op::take && e.operand == 2 ? reach::nothing : k;
    axis_set const has = g.nodes[e.on].axes, lost = has & ~x.axes;
    axis_set read = lost;                                       // axes whose other positions are read
    if (!e.far) {
      if (x.kind == op::window && x.axis == x.aux) {            // earlier rows of the same axis look back
        bool const ahead = x.value > 0 || x.slot > 0;
        if (ahead && has >> x.axis & 1) read |= bit_of(x.axis);
      } else {
        if (x.axis >= 0 && reads_across(g, i, x.axis)) read |= has & bit_of(x.axis);
        if (x.aux >= 0 && reads_across(g, i, x.aux)) read |= has & bit_of(x.aux);
        if (x.inner >= 0 && reads_across(g, i, x.inner)) read |= has & bit_of(x.inner);
      }
    } else {
      axis_set const along = bit_of(x.axis);
      bool const link = x.kind == op::take && e.far > 0;        // a child comes before its merge; "one merge earlier" means nothing
      if (e.far < 0 || (along & moving.merges && !link)) read |= along;
      else if (along & moving.chunks && k <= reach::whole_chunk && moving.one_chunking) k = reach::earlier_chunks;
    }
    if (read & whole) return reach::everything;
    if (read & moving.within && k > reach::earlier_chunks && k < reach::whole_chunk) return reach::whole_chunk;
    return k;
  }
  constexpr bool raise_node(int i) {
    node const& x = g.nodes[i];
    if (x.axes & pair_bit) return false;
    reach r = own(x);
    int w = i;
    bool const renames = renames_positions(x);
    for (int q = d.first.p[i]; q < d.first.p[i + 1]; ++q) {
      dependence const& e = d.edges.p[q];
      if (of.p[e.on] == reach::nothing) continue;
      reach const k = through(i, e, renames);
      if (k > r) { r = k; w = of.p[e.on] > reach::up_to_t ? why.p[e.on] : i; }
    }
    if (r <= of.p[i]) return false;
    of.p[i] = r;
    why.p[i] = static_cast<std::int16_t>(w);
    return true;
  }
};
}  // namespace detail

/// Is every result at position t of `axis` a function of inputs at positions 0 ... t? Results without a position (a sum over the
/// sequence) are not asked, unless there are no others. Masks of attend can only hide earlier pairs, so they are not evaluated; what is
/// masked by arithmetic (a softmax over the axis) is not proved and counts as reading everything.
constexpr causality causal_along(graph_view g, int axis) {
  dependences const d(g);
  detail::causality_classes p(g, d, axis);
  causality r;
  axis_set const moving = p.moving.parts() | p.moving.merges;
  bool any = false;
  for (int k = 0; k < g.noutputs; ++k)
    any = any || (g.outputs[k].role == output_role::result && g.outputs[k].node >= 0 && g.nodes[g.outputs[k].node].axes & moving);
  for (int k = 0; k < g.noutputs && r.ok; ++k) {
    int const o = g.outputs[k].node;
    if (g.outputs[k].role != output_role::result || o < 0 || p.of.p[o] <= reach::up_to_t) continue;
    if (any && !(g.nodes[o].axes & moving)) continue;
    r.ok = false;
    r.node = p.why.p[o];
    r.kind = g.nodes[r.node].kind;
    r.line = g.nodes[r.node].line;
  }
  r.of = static_cast<detail::grown<reach>&&>(p.of);
  return r;
}

}  // namespace dyadic
