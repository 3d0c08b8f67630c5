// A graph under construction: what a trace writes to, and what every rewriting pass returns.
#pragma once
#include <bit>

#include "dyadic/axes/axis.hpp"
#include "dyadic/expr/leaf.hpp"
#include "dyadic/expr/scratch.hpp"

namespace dyadic {

/// What a trace found wrong. Reported by a static_assert that names it, the axis and the source line.
enum class fault : std::uint8_t {
  none, memory_never_appended, memory_appended_twice, memory_changes_axes, state_never_written, state_written_twice, state_changes_axes,
  score_not_pointwise, parameter_outside_its_repeat, parameter_without_a_name, no_result, output_named_twice, too_many_axes, too_many_nodes,
  no_derivative, parameter_in_two_repeats
};

/// What a memory, a carried state or a tree's state holds. Its reads are linked when the trace is over, so a read may come before or
/// after the write in the source.
struct held_values {
  enum kind_t : std::uint8_t { memory, state, tree } kind = memory;
  std::int16_t key = -1, value = -1;   ///< a state uses key alone
  std::int16_t when = -1;              ///< a boolean along the memory's axis: which positions are stored; -1: all
  std::int32_t line = 0;
};

class builder {
 public:
  detail::grown<node> nodes;
  detail::grown<axis_info> axes;
  detail::grown<leaf> leaves;
  detail::grown<output> outputs;
  detail::grown<path_part> paths;
  detail::grown<tree_function> trees;
  detail::grown<held_values> held;

  // What is open while tracing.
  axis_set open = 0;                  ///< axes of the scans and repeats around the current expression
  axis_set repeats = 0;               ///< repeat axes around the current expression
  std::int16_t tied[max_axes];        ///< inside repeat<executed, layer>: the index at which parameters of `layer` are read, or -1
  int streams = 0;                    ///< random streams handed out
  fault error = fault::none;
  int error_line = 0, error_axis = -1;

  constexpr builder() { for (auto& t : tied) t = -1; }
  /// A copy of g to be extended, with the same numbering.
  constexpr explicit builder(graph_view const& g) : builder() {
    nodes.reserve(g.size + g.size / 2);
    for (int i = 0; i < g.size; ++i) nodes.push(g.nodes[i]);
    tables_of(g);
  }
  /// Takes over g's axes, leaves, results and names, but not its nodes.
  constexpr void tables_of(graph_view const& g) {
    for (int i = 0; i < g.naxes; ++i) axes.push(g.axes[i]);
    for (int i = 0; i < g.nleaves; ++i) leaves.push(g.leaves[i]);
    for (int i = 0; i < g.noutputs; ++i) outputs.push(g.outputs[i]);
    for (int i = 0; i < g.npaths; ++i) paths.push(g.paths[i]);
    for (int i = 0; i < g.ntrees; ++i) trees.push(g.trees[i]);
  }

  constexpr graph_view view() const {
    return {nodes.p,    axes.p,    leaves.p,    outputs.p,    paths.p,    trees.p,
            nodes.size, axes.size, leaves.size, outputs.size, paths.size, trees.size};
  }
  constexpr node& operator[](int i) const { return nodes.p[i]; }
  constexpr int size() const { return nodes.size; }
  constexpr axis_set shape(int i) const { return nodes.p[i].axes; }

  /// Adds a node, or finds the one that is the same (common subexpressions are shared as they are made).
  constexpr int push(node const& x) {
    if (nodes.size >= 32000) { fail(fault::too_many_nodes, x.line); return nodes.size - 1; }
    bool const shared = x.kind != op::input && x.kind != op::param && !x.distinct && !open_ended(x);
    if (2 * (nodes.size + 1) > table_.capacity) rehash();
    if (shared) {
      unsigned const mask = static_cast<unsigned>(table_.capacity) - 1;
      for (unsigned q = hash(x) & mask;; q = (q + 1) & mask) {
        if (!table_.p[q]) { table_.p[q] = static_cast<std::int16_t>(nodes.size + 1); break; }
        if (nodes.p[table_.p[q] - 1].same(x)) return table_.p[q] - 1;
      }
    }
    return nodes.push(x);
  }
  constexpr int make(op kind, axis_set shape, dtype type = dtype::f32, double value = 0, int a = -1, int b = -1, int c = -1) {
    node x;
    x.kind = kind; x.axes = shape; x.type = type; x.value = value;
    if (a >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(a);
    if (b >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(b);
    if (c >= 0) x.arg[x.nargs++] = static_cast<std::int16_t>(c);
    return push(x);
  }
  constexpr int constant(double v, dtype type = dtype::f32) { return make(op::constant, 0, type, v); }
  constexpr int map(op kind, int x, double value = 0) { return make(kind, shape(x), nodes.p[x].type, value, x); }
  constexpr int map(op kind, int x, int y) { return make(kind, shape(x) | shape(y), nodes.p[x].type, 0, x, y); }

  /// Registers an axis, or finds it.
  constexpr int axis(axis_info const& a) {
    for (int i = 0; i < axes.size; ++i) if (axes.p[i].key == a.key) return i;
    if (axes.size == max_axes) { fail(fault::too_many_axes, 0); return 0; }
    return axes.push(a);
  }
  constexpr int path(path_part const& p) { return paths.push(p); }
  constexpr void fail(fault f, int line, int at_axis = -1) {
    if (error == fault::none) { error = f; error_line = line; error_axis = at_axis; }
  }

 private:
  detail::grown<std::int16_t> table_;   // open addressing; node number + 1

  // A far operand that is linked later: two reads of it are told apart by their slot only once it is known.
  static constexpr bool open_ended(node const& x) {
    for (int i = 0; i < x.nargs; ++i) if (x.far[i] && x.arg[i] < 0) return true;
    return false;
  }
  static constexpr unsigned hash(node const& x) {
    unsigned h = static_cast<unsigned>(x.kind) * 2654435761u ^ x.axes * 2246822519u ^ static_cast<unsigned>(x.slot + 1) * 374761393u;
    std::uint64_t const v = x.value == 0 ? 0 : std::bit_cast<std::uint64_t>(x.value);   // 0 and -0 are the same
    h ^= static_cast<unsigned>(v ^ v >> 32) * 668265263u;
    for (int i = 0; i < x.nargs; ++i) h = (h ^ static_cast<unsigned>(x.arg[i] + 7)) * 16777619u;
    return h ^ h >> 15;
  }
  constexpr void rehash() {
    int c = table_.capacity ? table_.capacity * 4 : 1024;
    while (c < 4 * (nodes.size + 1)) c *= 2;
    table_.clear();
    table_.reserve(c);
    unsigned const mask = static_cast<unsigned>(c) - 1;
    for (int i = 0; i < nodes.size; ++i) {
      node const& x = nodes.p[i];
      if (x.kind == op::input || x.kind == op::param || x.distinct || open_ended(x)) continue;
      unsigned q = hash(x) & mask;
      while (table_.p[q]) q = (q + 1) & mask;
      table_.p[q] = static_cast<std::int16_t>(i + 1);
    }
  }
};

/// The number of axis A in b's table.
template <class A> constexpr int axis_id(builder& b);

namespace detail {
template <class A> struct axis_entry {
  static constexpr axis_info make(builder&) {
    constexpr auto n = name_of<A>();
    axis_info a;
    a.key = axis_key<A>; a.name = n.begin; a.name_size = static_cast<std::int16_t>(n.size); a.extent = A::static_extent;
    return a;
  }
};
template <class A> struct axis_entry<prime<A>> {
  static constexpr axis_info make(builder& b) {
    int const of = axis_id<A>(b);
    axis_info a = b.axes[of];
    a.key = axis_key<prime<A>>; a.role = axis_role::plain;
    if (a.extent < 0) { a.rule = extent_rule::same_as; a.from = static_cast<std::int8_t>(of); }
    return a;
  }
};
}  // namespace detail

template <class A> constexpr int axis_id(builder& b) {
  for (int i = 0; i < b.axes.size; ++i) if (b.axes.p[i].key == axis_key<A>) return i;
  return b.axis(detail::axis_entry<A>::make(b));
}
template <class... A> constexpr axis_set axis_bits(builder& b, axes<A...>) { return (axis_set{0} | ... | bit_of(axis_id<A>(b))); }

}  // namespace dyadic
