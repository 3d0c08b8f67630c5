// Recurrences along a tree: a merge reads its children's states at the indices a table gives. Far edges with an index function; the cell
// is any expression, and the tables are proved causal for every length up to 64 where the tree is made, and for the bound length at bind.
#pragma once
#include <initializer_list>

#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/prefix_tree.hpp"
#include "dyadic/graph/scan.hpp"

namespace dyadic {

/// A tree over the sequence S, whose merges are the positions of the axis Merges.
template <class S, class Merges, int Arity> struct tree_over {
  builder* b;
  std::int16_t child[Arity];
  std::int16_t root;
};
template <class S, class Merges, int Arity, class List, class T, class H> struct tree_state {
  tree_over<S, Merges, Arity> t;
  expr<List, T, H> leaf;
  std::int16_t slot;
};

template <auto const& Function> inline constexpr bool index_tables_never_look_ahead = tree_tables_are_causal_up_to(Function, 64);

/// tree<seq, merges>(x): the prefix tree over x's sequence, or another index function: tree<seq, merges, my_function>(x).
template <class S, class Merges, auto const& Function = prefix_tree, class List, class T, class H> constexpr auto tree(expr<List, T, H> x) {
  static_assert(axis_is_in<S, List>, "tree: the value has no such axis");
  static_assert(index_tables_never_look_ahead<Function>, "tree: the index function reads a child or a leaf that comes later");
  builder& b = *x.b;
  int const s = axis_id<S>(b), m = axis_id<Merges>(b), number = b.trees.push(Function);
  axis_info& info = b.axes[m];
  info.role = axis_role::merges;
  info.rule = extent_rule::tree;
  info.from = static_cast<std::int8_t>(s);
  info.tree = static_cast<std::int16_t>(number);
  auto table = [&](int axis, leaf_role role, int which) {
    leaf l;
    l.node = static_cast<std::int16_t>(b.make(op::input, bit_of(axis), dtype::i32));
    l.role = role; l.name = Function.name; l.of = static_cast<std::int8_t>(number); l.which = static_cast<std::int8_t>(which);
    l.rank = 1; l.order[0] = static_cast<std::int8_t>(axis);
    b.leaves.push(l);
    return l.node;
  };
  tree_over<S, Merges, Function.arity> t{&b, {}, 0};
  for (int c = 0; c < Function.arity; ++c) t.child[c] = table(m, leaf_role::child, c);
  t.root = table(s, leaf_role::root, 0);
  return t;
}

/// A state that leaves start with `leaf`, a value over the sequence, and merges write.
template <class S, class Merges, int Arity, class List, class T, class H>
constexpr auto carry(tree_over<S, Merges, Arity> t, expr<List, T, H> leaf, int line = __builtin_LINE()) {
  static_assert(axis_is_in<S, List>, "carry: the leaves' value has no axis of the tree's sequence");
  held_values h;
  h.kind = held_values::tree; h.line = line;
  return tree_state<S, Merges, Arity, List, T, H>{t, leaf, static_cast<std::int16_t>(t.b->held.push(h))};
}

namespace detail {
template <class S, class Merges, int Arity, class List, class T, class H>
constexpr int take(tree_state<S, Merges, Arity, List, T, H> const& s, int table, int state, bool far) {
  builder& b = *s.t.b;
  node n;
  n.kind = op::take; n.type = T::id; n.nargs = 3; n.far[0] = far;
  n.axis = static_cast<std::int8_t>(axis_id<Merges>(b)); n.aux = static_cast<std::int8_t>(axis_id<S>(b));
  n.arg[0] = static_cast<std::int16_t>(state); n.arg[1] = static_cast<std::int16_t>(s.leaf.id); n.arg[2] = static_cast<std::int16_t>(table);
  n.slot = s.slot;
  n.axes = (b.shape(s.leaf.id) & ~bit_of(n.aux)) | b.shape(table);
  return b.push(n);
}
}  // namespace detail

/// The state of the merge's k-th child, inside the merge.
template <int K, class S, class Merges, int Arity, class List, class T, class H>
constexpr auto child(tree_state<S, Merges, Arity, List, T, H> s) {
  static_assert(K >= 0 && K < Arity, "child: the tree's merges have fewer children");
  using shape = drop_axes<List, axes<S>>;
  return expr<shape, T, join_axes<H, along<Merges>>>{s.t.b, detail::take(s, s.t.child[K], -1, true)};
}
template <class S, class Merges, int Arity, class List, class T, class H>
constexpr auto left(tree_state<S, Merges, Arity, List, T, H> s) {
  return child<0>(s);
}
template <class S, class Merges, int Arity, class List, class T, class H>
constexpr auto right(tree_state<S, Merges, Arity, List, T, H> s) {
  return child<1>(s);
}

/// The state of this merge.
template <class S, class Merges, int Arity, class List, class T, class H, class M, class U, class J>
constexpr void write(tree_state<S, Merges, Arity, List, T, H> s, expr<M, U, J> x, int line = __builtin_LINE()) {
  static_assert(same_axes<M, drop_axes<List, axes<S>>>, "write: a merge returns the axes of its leaves");
  builder& b = *s.t.b;
  if (b.held[s.slot].key >= 0) b.fail(fault::state_written_twice, line);
  axis_set const shape = (b.shape(s.leaf.id) & ~bit_of(axis_id<S>(b))) | bit_of(axis_id<Merges>(b));
  int const id = shape & ~b.shape(x.id) ? b.make(op::spread, b.shape(x.id) | shape, T::id, 0, x.id) : x.id;
  b.held[s.slot].key = static_cast<std::int16_t>(id);
}
/// The states of all prefixes, over the sequence. After `write`.
template <class S, class Merges, int Arity, class List, class T, class H>
constexpr auto prefixes(tree_state<S, Merges, Arity, List, T, H> s, int line = __builtin_LINE()) {
  builder& b = *s.t.b;
  int const state = b.held[s.slot].key;
  if (state < 0) { b.fail(fault::state_never_written, line); return s.leaf; }
  return expr<List, T, H>{&b, detail::take(s, s.t.root, state, false)};
}

}  // namespace dyadic
