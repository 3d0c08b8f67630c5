// What a program costs at given extents: arithmetic, memory traffic, statements, room, and what a decoder keeps per token.
#pragma once
#include "dyadic/passes/memory.hpp"
#include "dyadic/passes/signature.hpp"

namespace dyadic {

struct cost_request {
  int element_size = 4;             ///< bytes
  int stream = -1;                  ///< the axis a decoder moves along, for the cache; -1: none
  std::int64_t active_rows = -1;    ///< rows that an interleaved solver computes, summed over its passes; -1: twice the sequence
};

struct program_cost {
  double flops = 0;                 ///< a product and its addition are two
  double bytes = 0;                 ///< operands read and results written, once per execution of a statement; of a group of a fused plan
                                    ///< what its kernel reads and writes (a column sum: its result). Numbers without axes are not counted
  std::int64_t statements = 0;      ///< in the plan
  double kernels = 0;               ///< executions of statements and groups, loops counted (over a tree's levels: at most), and of tiles
  std::int64_t peak_bytes = 0;      ///< the largest sum of values alive at once, without leaves
  double cache_bytes_per_token = 0; ///< rows a decoder keeps for every position of `stream`
  std::int64_t state_bytes = 0;     ///< and what it keeps whatever the position: states of carries
};

namespace detail {

class cost_meter {
 public:
  constexpr cost_meter(graph_view graph, extents const& e, cost_request const& q)
      : g_(graph), e_(e), q_(q), seen_(graph.size, -1), todo_(graph.size) {}

  /// Arithmetic of node i over all its positions. Folds count every ordered pair (N (N - 1) / 2, and the self pairs), or those whose key a
  /// `keep` keeps; pairs that a score masks count in full.
  constexpr double flops(int i) {
    node const& x = g_.nodes[i];
    op_row const& t = traits(x.kind);
    if (t.kind == op_class::fold) return fold(i);
    if (t.kind == op_class::contract) return 2 * size(shape(x, 0) | shape(x, 1));
    bool const reads_rows = (t.kind == op_class::row || x.kind == op::scatter) && x.nargs > 0;
    return t.flops * size(reads_rows ? shape(x, 0) | x.axes : x.axes);
  }
  constexpr double size(axis_set s) const {
    double n = 1;
    for (int a = 0; a < g_.naxes; ++a) if (s >> a & 1) n *= static_cast<double>(e_.of[a]);
    return n;
  }
  /// Elements that a group's kernel reads and writes, all executions together. It reads operands for every row, also those that lack an
  /// axis of the rows.
  constexpr double group_elements(group_code const& c, axis_set loops, double executions) const {
    double n = 0;
    axis_set const domain = c.domain & ~loops;
    for (int j = 0; j < c.operands; ++j)
      if (g_.nodes[c.operand[j]].axes) n += c.reads(j) * size(c.of_row[j] ? domain & ~bit_of(c.row) : domain) * executions;
    for (int i = 0; i < c.count; ++i)
      if (c.s[i].stored && g_.nodes[c.node[i]].axes) n += size(g_.nodes[c.node[i]].axes & ~loops) * executions;
    return n;
  }
  constexpr axis_set shape(node const& x, int k) const {
    return k < x.nargs && x.arg[k] >= 0 ? g_.nodes[x.arg[k]].axes & ~pair_bit : axis_set{0};
  }

  /// Of all positions of a keep's axis, the part it keeps; 1 for other nodes.
  constexpr double kept_part(int i) const {
    node const& x = g_.nodes[i];
    if (x.kind != op::keep || e_.of[x.axis] == 0) return 1;
    return static_cast<double>(kept_rows(g_, e_, i)) / static_cast<double>(e_.of[x.axis]);
  }

  /// Values a decoder along `stream` keeps, by how they are read.
  constexpr void cache(program_cost& c) {
    if (q_.stream < 0) return;
    axis_set parts = bit_of(q_.stream), trees = 0;
    for (int i = 0; i < g_.size; ++i) {
      node const& x = g_.nodes[i];
      if (x.kind == op::split && x.axis == q_.stream) parts |= bit_of(x.aux);
      if (x.kind == op::take && x.aux == q_.stream) trees |= bit_of(x.axis);
    }
    scratch<std::uint8_t> grows(g_.size), states(g_.size);
    for (int i = 0; i < g_.size; ++i) {
      node const& x = g_.nodes[i];
      bool const state = x.kind == op::prev || x.kind == op::shift;
      for (int k = 0; k < x.nargs; ++k) {
        if (x.arg[k] < 0) continue;
        if (x.far[k] && ((parts | trees) >> x.axis & 1)) (state ? states : grows).p[x.arg[k]] = 1;
        if (x.kind == op::take && x.aux == q_.stream && k < 2) grows.p[x.arg[k]] = 1;
      }
    }
    double const tokens = static_cast<double>(e_.of[q_.stream] > 0 ? e_.of[q_.stream] : 1);
    position_evaluator constant(g_, e_, q_.stream);
    for (int i = 0; i < g_.size; ++i) {
      node const& x = g_.nodes[i];
      if (traits(x.kind).kind == op_class::leaf || (x.axes & pair_bit)) continue;
      if (grows.p[i] && !constant(i, 0).ok) c.cache_bytes_per_token += q_.element_size * size(x.axes) * kept_part(i) / tokens;
      else if (states.p[i]) c.state_bytes += static_cast<std::int64_t>(size(x.axes & ~(parts | trees))) * q_.element_size;
    }
  }

 private:
  graph_view g_;
  extents const& e_;
  cost_request q_;
  scratch<int> seen_;
  scratch<std::int16_t> todo_;

  constexpr double score(int fold, int root) {
    if (root < 0 || !(g_.nodes[root].axes & pair_bit) || seen_.p[root] == fold) return 0;
    double f = 0;
    int n = 0;
    todo_.p[n++] = static_cast<std::int16_t>(root);
    seen_.p[root] = fold;
    while (n) {
      node const& x = g_.nodes[todo_.p[--n]];
      if (traits(x.kind).kind == op_class::map) f += traits(x.kind).flops;
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0 || seen_.p[a] == fold || !(g_.nodes[a].axes & pair_bit)) continue;
        seen_.p[a] = fold;
        todo_.p[n++] = static_cast<std::int16_t>(a);
      }
    }
    return f;
  }
  constexpr double pairs(int key_operand, int axis, bool self) const {
    double const n = static_cast<double>(e_.of[axis]);
    double p = n * (n - 1) / 2;
    if (key_operand >= 0 && g_.nodes[key_operand].kind == op::keep && g_.nodes[key_operand].axis == axis) {
      position_evaluator holds(g_, e_, axis);
      double kept = 0;
      bool all = true;
      for (std::int64_t s = 0; s < e_.of[axis] && all; ++s) {
        known const k = holds(g_.nodes[key_operand].arg[1], s);
        all = k.ok;
        if (k.value != 0) kept += static_cast<double>(e_.of[axis] - 1 - s);
      }
      if (all) p = kept;
    }
    return self ? p + n : p;
  }
  constexpr double fold(int i) {
    node const& x = g_.nodes[i];
    if (x.kind == op::attend_lse) return 0;   // the fold's state has it
    axis_set rows = x.axes;
    for (int k = 0; k < x.nargs; ++k) rows |= shape(x, k);
    rows &= ~(bit_of(x.axis) | bit_of(x.aux));
    bool const forward = x.kind == op::attend, by_key = belongs_to_key(x.kind);
    double dots = 2;                               // of length D per pair: scores and weighted sums
    if (x.kind == op::attend_dq || x.kind == op::attend_dk) dots = 3;
    double each = 2 * dots * static_cast<double>(e_.of[x.aux]) + traits(op::exp).flops + 3;
    for (int k = forward ? 5 : 6; k < x.nargs; ++k) each += score(i, x.arg[k]);
    return size(rows) * pairs(x.arg[forward ? 3 : by_key ? 0 : 4], x.axis, forward && x.arg[1] >= 0) * each;
  }
};

}  // namespace detail

/// The costs of a plan's statements one by one; they add up to measure_cost's. g, p and e (complete) are read as long as it lives.
class statement_meter {
 public:
  constexpr statement_meter(graph_view g, plan_view p, extents const& e, cost_request const& q = {})
      : g_(g), p_(p), e_(e), q_(q), nesting_(g, p), meter_(g, e, q), readers_(g, p) {}

  /// flops, bytes and kernels of all executions of statement s. Rows restricted by a solver's passes count as request.active_rows says.
  constexpr program_cost operator()(int s) {
    program_cost c;
    if (p_.s[s].kind != stmt::run) return c;
    node const& x = g_.nodes[p_.s[s].id];
    c.statements = 1;
    if (traits(x.kind).kind == op_class::leaf && !traits(x.kind).random) return c;   // numbers: engines read them from the node
    axis_set loops = 0, again = 0;
    for (int l = nesting_.up.p[s]; l >= 0; l = nesting_.up.p[l]) {
      loops |= bit_of(p_.s[l].id);
      if (!(x.axes & bit_of(p_.s[l].id)) && !p_.s[l].streamed) again |= bit_of(p_.s[l].id);
    }
    double const part = p_.s[s].active_rows ? new_rows(x) : 1, repeated = meter_.size(again), executions = meter_.size(loops);
    c.flops = part * repeated * meter_.flops(p_.s[s].id);
    if (p_.s[s].group >= 0) {                      // the first member stands for its group's traffic
      if (s > 0 && p_.s[s - 1].kind == stmt::run && p_.s[s - 1].group == p_.s[s].group) return c;
      int end = s + 1;
      while (end < p_.size && p_.s[end].kind == stmt::run && p_.s[end].group == p_.s[s].group) ++end;
      c.bytes = meter_.group_elements(code_of(g_, p_, readers_, s, end), loops, executions) * q_.element_size;
      c.kernels = executions;
      return c;
    }
    double elements = x.axes ? repeated * meter_.size(x.axes) : 0;
    for (int k = 0; k < x.nargs; ++k) {
      if (x.arg[k] < 0 || (g_.nodes[x.arg[k]].axes & pair_bit) || g_.nodes[x.arg[k]].axes == 0) continue;
      axis_set const from = g_.nodes[x.arg[k]].axes;
      double rows = meter_.size(from & ~loops) * executions;
      if (x.kind == op::gather && k == 0) rows = repeated * meter_.size(x.axes);   // of the table, what is picked
      // A fold inside a loop over its own axis reads the rows before (or after) the current one: half of them on average.
      bool const folded = traits(x.kind).kind == op_class::fold && x.far[k] && (loops >> x.axis & 1);
      if (folded) rows *= (static_cast<double>(e_.of[x.axis]) - 1) / 2;
      elements += rows;
    }
    c.bytes = part * elements * q_.element_size;
    c.kernels = executions;
    if (p_.s[s].tiled) c.kernels += executions > 0 ? executions - executions / static_cast<double>(e_.of[x.axis]) : 0;
    return c;
  }

 private:
  graph_view g_;
  plan_view p_;
  extents const& e_;
  cost_request q_;
  nesting nesting_;
  detail::cost_meter meter_;
  detail::group_readers readers_;

  /// Of the rows of all passes, the part that is new.
  constexpr double new_rows(node const& x) const {
    int pass = -1;
    for (int a = 0; a < g_.naxes; ++a) if (g_.axes[a].role == axis_role::pass && (x.axes >> a & 1)) pass = a;
    double const passes = pass >= 0 ? static_cast<double>(e_.of[pass]) : 1;
    double rows = 2;
    for (int k = 0; k < g_.nleaves; ++k) {
      leaf const& l = g_.leaves[k];
      if (l.role == leaf_role::active && q_.active_rows >= 0 && l.rank > 1)
        rows = static_cast<double>(q_.active_rows) / static_cast<double>(e_.of[l.order[1]] > 0 ? e_.of[l.order[1]] : 1);
    }
    return passes > rows ? rows / passes : 1;
  }
};

/// The cost of executing plan p of graph g at extents e (complete).
constexpr program_cost measure_cost(graph_view g, plan_view p, extents const& e, cost_request const& q = {}) {
  program_cost c;
  statement_meter of(g, p, e, q);
  for (int s = 0; s < p.size; ++s) {
    program_cost const one = of(s);
    c.flops += one.flops;
    c.bytes += one.bytes;
    c.statements += one.statements;
    c.kernels += one.kernels;
  }
  memory_request sizes;
  sizes.attempts = 0;
  c.peak_bytes = plan_memory(g, p, e, sizes).live_peak * q.element_size;
  detail::cost_meter(g, e, q).cache(c);
  return c;
}

}  // namespace dyadic
