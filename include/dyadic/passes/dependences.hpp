// What every node waits for, as one flat list. Pair nodes (scores) are looked through: a fold depends on what its score reads,
// at the query or at the key.
#pragma once
#include "dyadic/expr/op_table.hpp"

namespace dyadic {

/// `on`: the value read. `far`: 0 at the same position, +1 at earlier, -1 at later positions of the reader's `axis`.
struct dependence {
  static constexpr std::uint8_t in_score = 255;
  std::int16_t on = -1;
  std::int8_t far = 0;
  std::uint8_t operand = 0;   ///< which operand of the reader, or in_score
};

/// Folds whose result belongs to a key; their queries lie on the far side.
constexpr bool belongs_to_key(op o) { return o == op::attend_dk || o == op::attend_dv || o == op::attend_dscore_key; }

/// Does node i read its operands at other positions of axis a than its own? (Far edges aside.)
constexpr bool reads_across(graph_view g, int i, int a) {
  node const& x = g.nodes[i];
  if (!(x.axes >> a & 1) || (x.axis != a && x.aux != a && x.inner != a)) return false;
  op_row const& t = traits(x.kind);
  return t.crosses(x, a) || (t.kind == op_class::fold && x.aux == a);   // <query, key> runs over the contracted axis
}

class dependences {
 public:
  detail::scratch<std::int32_t> first;   ///< by node: its dependences are edges[first[i]], ..., edges[first[i + 1] - 1]
  detail::grown<dependence> edges;

  constexpr explicit dependences(graph_view g) : first(g.size + 1), seen_(g.size) {
    edges.reserve(2 * g.size + 16);
    for (int i = 0; i < g.size; ++i) {
      first.p[i] = edges.size;
      node const& x = g.nodes[i];
      if (x.axes & pair_bit) continue;
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0) continue;
        if (g.nodes[a].axes & pair_bit) look_through(g, i, a);
        else edges.push({x.arg[k], x.far[k], static_cast<std::uint8_t>(k)});
      }
    }
    first.p[g.size] = edges.size;
  }

 private:
  detail::scratch<std::int16_t> seen_;   // the last fold that looked through this pair node; one-based
  detail::grown<std::int16_t> todo_;

  // Near operands of a score are read at the query, those of at_key at the key; which of the two is far depends on whose fold it is.
  constexpr void look_through(graph_view g, int fold, int pair) {
    node const& f = g.nodes[fold];
    std::int8_t other_side = 0;
    for (int k = 0; k < f.nargs; ++k) if (f.far[k]) other_side = f.far[k];
    std::int8_t const at_key = belongs_to_key(f.kind) ? std::int8_t{0} : other_side;
    std::int8_t const at_query = belongs_to_key(f.kind) ? other_side : std::int8_t{0};
    if (seen_.p[pair] == fold + 1) return;
    seen_.p[pair] = static_cast<std::int16_t>(fold + 1);
    todo_.push(static_cast<std::int16_t>(pair));
    while (todo_.size) {
      node const& x = g.nodes[todo_.p[--todo_.size]];
      for (int k = 0; k < x.nargs; ++k) {
        int const a = x.arg[k];
        if (a < 0) continue;
        if (!(g.nodes[a].axes & pair_bit)) { edges.push({x.arg[k], x.far[k] ? at_key : at_query, dependence::in_score}); continue; }
        if (seen_.p[a] == fold + 1) continue;
        seen_.p[a] = static_cast<std::int16_t>(fold + 1);
        todo_.push(static_cast<std::int16_t>(a));
      }
    }
  }
};

}  // namespace dyadic
