// What a backward pass keeps of the forward one. In a joint graph every forward value that a backward node reads is kept from its making to
// that reading; `cuts` makes backward nodes read copies instead, computed again from what is kept, where that is worth it.
#pragma once
#include "dyadic/graph/sealed.hpp"
#include "dyadic/passes/simplify.hpp"

namespace dyadic {

enum class keep_policy : std::uint8_t {
  keep_all,         ///< nothing is computed twice
  recompute_maps,   ///< pointwise values and views of kept contractions, folds, sums and leaves are computed again
  boundary          ///< inside a repeat everything is, contractions too, except folds and what is read from afar (states, memories)
};

namespace detail {

/// By node of a joint graph: 1 where it belongs to the forward computation. Backward: what depends on a seed, or what no result needs.
constexpr void mark_forward(graph_view g, std::uint8_t* forward) {
  scratch<std::uint8_t> seeded(g.size), needed(g.size);
  bool any_result = false, more = true;
  for (int i = 0; i < g.nleaves; ++i)
    if (g.leaves[i].role == leaf_role::seed && g.leaves[i].node >= 0) seeded.p[g.leaves[i].node] = 1;
  while (more) {   // operands come first in the numbering, except far ones: a sweep for those, seldom a third
    more = false;
    for (int i = 0; i < g.size; ++i) {
      node const& x = g.nodes[i];
      for (int k = 0; k < x.nargs && !seeded.p[i]; ++k)
        if (x.arg[k] >= 0 && seeded.p[x.arg[k]]) { seeded.p[i] = 1; more = true; }
    }
  }
  scratch<std::int16_t> todo(g.size);
  int n = 0;
  auto const need = [&](int i) {
    if (i < 0 || needed.p[i]) return;
    needed.p[i] = 1;
    todo.p[n++] = static_cast<std::int16_t>(i);
  };
  for (int i = 0; i < g.noutputs; ++i)
    if (g.outputs[i].role != output_role::gradient && g.outputs[i].node >= 0) { any_result = true; need(g.outputs[i].node); }
  while (n) {
    node const& x = g.nodes[todo.p[--n]];
    for (int k = 0; k < x.nargs; ++k) need(x.arg[k]);
  }
  for (int i = 0; i < g.size; ++i) {
    node const& x = g.nodes[i];
    // The log-sum-exp of a forward fold is made by the derivative, but it comes with the fold.
    bool const statistic = x.kind == op::attend_lse && x.arg[0] >= 0 && (needed.p[x.arg[0]] || !any_result);
    forward[i] = !seeded.p[i] && (!any_result || needed.p[i] || statistic) && !x.distinct;
  }
}

class cutter {
 public:
  /// kept: `count` nodes that are never computed again, whatever the policy says.
  constexpr cutter(graph_view g, keep_policy policy, std::int16_t const* kept = nullptr, int count = 0)
      : r_(g), policy_(policy), forward_(g.size), wanted_(g.size), fixed_(g.size), depth_(g.size, far_off), clone_(g.size, -1) {
    mark_forward(g, forward_.p);
    first_backward_ = g.size;
    for (int i = 0; i < g.size; ++i) {
      node const& x = g.nodes[i];
      bool const pair = (x.axes & pair_bit) != 0 && forward_.p[i];   // a score is shared by the folds of both halves
      for (int k = 0; k < x.nargs; ++k) {
        if (x.arg[k] < 0) continue;
        if (!forward_.p[i]) wanted_.p[x.arg[k]] = 1;
        if (x.far[k] || pair) fixed_.p[x.arg[k]] = 1;       // states and memories have room for every position anyway
      }
      if (!forward_.p[i] && i < first_backward_) first_backward_ = i;
    }
    for (int k = 0; k < count; ++k) fixed_.p[kept[k]] = 1;
    for (int i = 0; i < g.naxes; ++i) if (g.axes[i].role == axis_role::repeat) repeats_ |= bit_of(i);
    for (int i = 0; i < g.size; ++i) if (forward_.p[i]) depth_.p[i] = depth(i);
  }
  /// After run(): backward reads a copy of node i.
  constexpr bool copied(int i) const { return clone_.p[i] >= 0; }

  constexpr builder run() {
    graph_view const& g = r_.g;
    scratch<std::uint8_t> patched(g.size);
    for (int i = 0; i < g.size; ++i) {
      if (!forward_.p[i])
        for (int k = 0; k < g.nodes[i].nargs; ++k) copies(g.nodes[i].arg[k], g.nodes[i].far[k] != 0);
      int const to = r_.copy(i);
      r_.to.p[i] = static_cast<std::int16_t>(to);
      if (forward_.p[i]) continue;
      for (int k = 0; k < g.nodes[i].nargs; ++k) {
        int const a = g.nodes[i].arg[k];
        if (a >= 0 && !g.nodes[i].far[k] && clone_.p[a] >= 0) r_.b.nodes.p[to].arg[k] = clone_.p[a];
      }
    }
    return keep_outputs(r_.finish().view(), ~std::uint32_t{0});   // originals that nothing reads any more go
  }

 private:
  static constexpr std::int16_t far_off = 1000;
  static constexpr int most = 8;     // longest chain of pointwise operations worth repeating
  rebuilder r_;
  keep_policy policy_;
  scratch<std::uint8_t> forward_, wanted_, fixed_;
  scratch<std::int16_t> depth_;      // 0: kept; else the length of the chain that computes it again; far_off: neither
  scratch<std::int16_t> clone_;
  axis_set repeats_ = 0;
  int first_backward_ = 0;

  // How far a forward value is from what is kept.
  constexpr std::int16_t depth(int i) const {
    node const& x = r_.g.nodes[i];
    op_row const& t = traits(x.kind);
    if (x.axes & pair_bit) return 0;
    if (t.kind == op_class::leaf && !t.random) return 0;
    bool const inside = policy_ == keep_policy::boundary && (x.axes & repeats_) != 0;
    bool const moves = t.kind == op_class::view || x.kind == op::prev || x.kind == op::shift || x.kind == op::take;
    bool const cheap = t.kind == op_class::map || moves || t.random;
    bool const never = policy_ == keep_policy::keep_all || fixed_.p[i] || x.kind == op::probe || t.kind == op_class::fold;
    bool const may = !never && (cheap || inside);
    if (may) {
      int d = 0;
      for (int k = 0; k < x.nargs; ++k) {
        if (x.arg[k] < 0) continue;
        int const a = x.far[k] ? (x.arg[k] < first_backward_ ? 0 : far_off) : depth_.p[x.arg[k]];
        if (a > d) d = a;
      }
      if (d < (inside ? far_off - 1 : most)) return static_cast<std::int16_t>(d + 1);
    }
    if (policy_ == keep_policy::boundary && !(x.axes & repeats_)) return 0;   // one for all layers: cheap to keep
    return wanted_.p[i] || fixed_.p[i] || t.kind == op_class::fold ? std::int16_t{0} : far_off;
  }

  // Makes the copies that a backward reader of `i` needs, operands first.
  constexpr void copies(int i, bool far) {
    if (i < 0 || far || !forward_.p[i] || clone_.p[i] >= 0 || depth_.p[i] == 0 || depth_.p[i] == far_off) return;
    graph_view const& g = r_.g;
    grown<std::int16_t> path;
    path.push(static_cast<std::int16_t>(i));
    while (path.size) {
      int const v = path.p[path.size - 1];
      node x = g.nodes[v];
      bool ready = clone_.p[v] < 0;
      for (int k = 0; ready && k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0 || x.far[k] || !again(a) || clone_.p[a] >= 0) continue;
        path.push(static_cast<std::int16_t>(a));
        ready = false;
      }
      if (!ready) {
        if (clone_.p[v] >= 0) --path.size;
        continue;
      }
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a >= 0) x.arg[k] = !x.far[k] && clone_.p[a] >= 0 ? clone_.p[a] : r_.to.p[a];
      }
      x.distinct = true;
      clone_.p[v] = static_cast<std::int16_t>(r_.b.push(x));
      --path.size;
    }
  }
  constexpr bool again(int i) const {
    return forward_.p[i] && depth_.p[i] > 0 && depth_.p[i] < far_off && !(r_.g.nodes[i].axes & pair_bit);
  }
};

}  // namespace detail

/// The forward values that the backward half of a joint graph reads: what has to be kept. Without leaves and numbers, ascending.
constexpr detail::grown<std::int16_t> saved(graph_view joint) {
  detail::scratch<std::uint8_t> forward(joint.size), wanted(joint.size);
  detail::mark_forward(joint, forward.p);
  for (int i = joint.size - 1; i >= 0; --i) {
    node const& x = joint.nodes[i];
    if (forward.p[i] && !((x.axes & pair_bit) && wanted.p[i])) continue;   // a score is evaluated where it is read
    for (int k = 0; k < x.nargs; ++k) if (x.arg[k] >= 0) wanted.p[x.arg[k]] = 1;
  }
  detail::grown<std::int16_t> r;
  for (int i = 0; i < joint.size; ++i) {
    bool const stored = !(joint.nodes[i].axes & pair_bit) && traits(joint.nodes[i].kind).kind != op_class::leaf;
    if (forward.p[i] && wanted.p[i] && stored) r.push(static_cast<std::int16_t>(i));
  }
  return r;
}

/// A joint graph whose backward half reads what `policy` keeps. The same values bit for bit: copies are the same operations on the same
/// operands. Folds are never run twice; random nodes may be, since they draw by position.
/// kept: `count` nodes of the joint graph that are kept besides (passes/budget.hpp chooses them).
constexpr builder cuts(graph_view joint, keep_policy policy = keep_policy::recompute_maps, std::int16_t const* kept = nullptr,
                       int count = 0) {
  detail::cutter c(joint, policy, kept, count);
  return c.run();
}

/// Policies as types, for training programs and trainers: `trainer<model, float, exact, keeping::boundary>`; by budget: passes/budget.hpp.
namespace keeping {
template <keep_policy Policy> struct by_policy {
  template <class Joint> static constexpr bool fits() { return true; }
  template <class Joint> static constexpr builder cut() { return cuts(sealed<Joint>::view, Policy); }
};
struct all : by_policy<keep_policy::keep_all> {};            ///< nothing is computed twice
struct maps : by_policy<keep_policy::recompute_maps> {};     ///< pointwise values and views are computed again: the usual one
struct boundary : by_policy<keep_policy::boundary> {};       ///< of a repeated block states and folds are kept, the rest is computed again
}  // namespace keeping

}  // namespace dyadic
