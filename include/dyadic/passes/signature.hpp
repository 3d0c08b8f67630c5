// What a group of a fused plan computes, as a short program that names no axis, no extent and no node: two groups with the same code run
// the same kernel, whatever their models.
#pragma once
#include "dyadic/passes/fuse.hpp"

namespace dyadic {

/// One step of a group. Operands below `operand_zero` are steps, others operands from outside.
struct group_step {
  static constexpr int operand_zero = 64, absent = 127;
  op kind{};
  dtype type = dtype::f32;             ///< of a cast
  member_level level{};
  std::uint8_t phase = 0;              ///< element: the first walk along the row in which it is known; a reduction: the walk that takes it;
                                       ///< pointwise in rows: the walk before which it is computed
  bool stored = false;
  std::uint8_t arg[3]{absent, absent, absent};
  constexpr bool reduces() const { return kind == op::sum || kind == op::reduce_max || kind == op::reduce_min; }
  constexpr std::uint64_t word() const {
    return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(type) << 8 | static_cast<std::uint64_t>(level) << 12 |
           static_cast<std::uint64_t>(phase) << 16 | static_cast<std::uint64_t>(stored) << 20 | static_cast<std::uint64_t>(arg[0]) << 24 |
           static_cast<std::uint64_t>(arg[1]) << 32 | static_cast<std::uint64_t>(arg[2]) << 40;
  }
  static constexpr group_step of(std::uint64_t w) {
    group_step s;
    s.kind = static_cast<op>(w & 255);
    s.type = static_cast<dtype>(w >> 8 & 15);
    s.level = static_cast<member_level>(w >> 12 & 15);
    s.phase = static_cast<std::uint8_t>(w >> 16 & 15);
    s.stored = w >> 20 & 1;
    for (int k = 0; k < 3; ++k) s.arg[k] = static_cast<std::uint8_t>(w >> (24 + 8 * k) & 255);
    return s;
  }
};

/// A group: its code, and the nodes that its operands, steps and stored results are in this graph.
struct group_code {
  int count = 0, operands = 0, results = 0, phases = 1, row = -1;
  axis_set domain = 0;
  bool rows = false;                   ///< some operand or step belongs to a row: the kernel is called row by row
  group_step s[max_group_members]{};
  std::int16_t node[max_group_members]{}, operand[max_group_operands]{};
  bool of_row[max_group_operands]{};   ///< an operand without the row axis: one number a row
  /// The code in words: steps, then which operands belong to a row.
  constexpr int words() const { return count + 1; }
  constexpr std::uint64_t word(int i) const {
    if (i < count) return s[i].word();
    std::uint64_t w = static_cast<std::uint64_t>(operands) << 32 | static_cast<std::uint64_t>(phases) << 40;
    for (int k = 0; k < operands; ++k) w |= static_cast<std::uint64_t>(of_row[k]) << k;
    return w;
  }
};

namespace detail {

/// Who reads what outside of its group: the values that must be stored.
class group_readers {
 public:
  scratch<std::int16_t> group;         ///< by node: its group, or -1
  scratch<std::uint8_t> escapes;       ///< by node: an output, or read outside of its group
  constexpr group_readers(graph_view g, plan_view p) : group(g.size, -1), escapes(g.size) {
    for (int s = 0; s < p.size; ++s) if (p.s[s].kind == stmt::run) group.p[p.s[s].id] = p.s[s].group;
    for (int r = 0; r < g.size; ++r) {
      node const& x = g.nodes[r];
      for (int k = 0; k < x.nargs; ++k)
        if (x.arg[k] >= 0 && (group.p[r] < 0 || group.p[r] != group.p[x.arg[k]])) escapes.p[x.arg[k]] = 1;
    }
    for (int i = 0; i < g.noutputs; ++i) if (g.outputs[i].node >= 0) escapes.p[g.outputs[i].node] = 1;
  }
  constexpr bool inner(int i) const { return group.p[i] >= 0 && !escapes.p[i]; }
};

}  // namespace detail

/// The code of the group whose members are the statements [first, end) of a fused plan.
constexpr group_code code_of(graph_view g, plan_view p, detail::group_readers const& readers, int first, int end) {
  group_code c;
  c.row = p.s[first].row;
  for (int s = first; s < end; ++s) {
    int const i = p.s[s].id;
    node const& x = g.nodes[i];
    group_step t;
    t.kind = x.kind;
    t.level = p.s[s].level;
    t.stored = readers.escapes.p[i];
    if (x.kind == op::cast) t.type = x.type;
    c.domain |= x.axes;
    for (int k = 0; k < (x.kind == op::spread ? 1 : x.nargs); ++k) {
      int const a = x.arg[k];
      c.domain |= t.reduces() ? g.nodes[a].axes : axis_set{0};
      int j = 0;
      while (j < c.count && c.node[j] != a) ++j;
      if (j < c.count) {
        group_step const& y = c.s[j];
        int const known = y.phase + (y.reduces() ? 1 : 0);
        t.arg[k] = static_cast<std::uint8_t>(j);
        if (known > t.phase) t.phase = static_cast<std::uint8_t>(known);
        continue;
      }
      for (j = 0; j < c.operands && c.operand[j] != a;) ++j;
      if (j == c.operands) c.operand[c.operands++] = static_cast<std::int16_t>(a);
      t.arg[k] = static_cast<std::uint8_t>(group_step::operand_zero + j);
    }
    if (t.level != member_level::row || t.reduces()) { if (t.phase >= c.phases) c.phases = t.phase + 1; }
    c.rows = c.rows || t.level == member_level::row;
    c.results += t.stored;
    c.node[c.count] = static_cast<std::int16_t>(i);
    c.s[c.count++] = t;
  }
  for (int k = 0; k < c.operands; ++k) {
    c.of_row[k] = !(g.nodes[c.operand[k]].axes >> c.row & 1);
    c.rows = c.rows || (c.of_row[k] && g.nodes[c.operand[k]].axes != 0);
  }
  return c;
}

/// All codes of a fused plan, in words, for kernels made at compile time: words begin[q] to begin[q + 1] are group q's.
struct group_codes {
  detail::grown<std::uint64_t> words;
  detail::grown<int> begin;
};
constexpr group_codes codes_of(graph_view g, plan_view p) {
  group_codes r;
  detail::group_readers const readers(g, p);
  each_group(p, [&](int first, int end) {
    group_code const c = code_of(g, p, readers, first, end);
    r.begin.push(r.words.size);
    for (int k = 0; k < c.words(); ++k) r.words.push(c.word(k));
  });
  r.begin.push(r.words.size);
  return r;
}

}  // namespace dyadic
