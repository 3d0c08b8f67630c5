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
  /// 38 bits: kernels are named by their words, and few digits keep the names short.
  constexpr std::uint64_t word() const {
    return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(type) << 8 | static_cast<std::uint64_t>(level) << 10 |
           static_cast<std::uint64_t>(phase) << 12 | static_cast<std::uint64_t>(stored) << 16 | static_cast<std::uint64_t>(arg[0]) << 17 |
           static_cast<std::uint64_t>(arg[1]) << 24 | static_cast<std::uint64_t>(arg[2]) << 31;
  }
  static constexpr group_step of(std::uint64_t w) {
    group_step s;
    s.kind = static_cast<op>(w & 255);
    s.type = static_cast<dtype>(w >> 8 & 3);
    s.level = static_cast<member_level>(w >> 10 & 3);
    s.phase = static_cast<std::uint8_t>(w >> 12 & 15);
    s.stored = w >> 16 & 1;
    for (int k = 0; k < 3; ++k) s.arg[k] = static_cast<std::uint8_t>(w >> (17 + 7 * k) & 127);
    return s;
  }
};

/// A group: its code, and the nodes that its operands, steps and stored results are in this graph.
struct group_code {
  int count = 0, operands = 0, results = 0, phases = 1, row = -1;
  axis_set domain = 0;
  bool rows = false;                   ///< some operand or step belongs to a row: the kernel is called row by row
  group_step s[max_group_members]{};
  std::int16_t node[max_group_members]{}, operand[max_group_operands]{};   ///< a step within a softmax has no node: -1
  bool of_row[max_group_operands]{};   ///< an operand without the row axis: one number a row
  /// Whether a walk computes step i: what it stores or reduces, and the elements that takes.
  constexpr bool walks(int phase, int i) const {
    bool need[max_group_members]{};
    for (int k = count; k-- > 0;) {
      bool const kept = s[k].level == member_level::columns || (s[k].level == member_level::element && s[k].stored);
      need[k] = need[k] || (s[k].phase == phase && (s[k].reduces() || kept));
      if (!need[k]) continue;
      for (int const a : s[k].arg) if (a < group_step::operand_zero && s[a].level == member_level::element) need[a] = true;
    }
    return need[i];
  }
  /// Whether a walk reads an operand that has the row axis.
  constexpr bool loads(int phase, int operand_number) const {
    if (of_row[operand_number]) return false;
    for (int k = 0; k < count; ++k) {
      if (!walks(phase, k)) continue;
      for (int const a : s[k].arg) if (a == group_step::operand_zero + operand_number) return true;
    }
    return false;
  }
  /// How often kernels read an operand's elements: once for every walk that needs them; what is one number a row, once.
  constexpr int reads(int operand_number) const {
    int n = of_row[operand_number] ? 1 : 0;
    for (int phase = 0; phase < phases; ++phase) n += loads(phase, operand_number);
    return n;
  }
  /// The code in words: steps, then which operands belong to a row.
  constexpr int words() const { return count + 1; }
  constexpr std::uint64_t word(int i) const {
    if (i < count) return s[i].word();
    std::uint64_t w = static_cast<std::uint64_t>(operands) << 16 | static_cast<std::uint64_t>(phases) << 20;
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

namespace detail {
/// A group's code under construction.
class group_coder {
 public:
  group_code c;
  constexpr explicit group_coder(graph_view g) : g_(g) {}

  /// Node a as an argument: a step, or an operand from outside.
  constexpr std::uint8_t argument(int a) {
    for (int j = 0; j < c.count; ++j) if (c.node[j] == a) return static_cast<std::uint8_t>(j);
    int j = 0;
    while (j < c.operands && c.operand[j] != a) ++j;
    if (j == c.operands) c.operand[c.operands++] = static_cast<std::int16_t>(a);
    return static_cast<std::uint8_t>(group_step::operand_zero + j);
  }
  /// Adds a step; its number.
  constexpr std::uint8_t push(op kind, member_level level, std::uint8_t x, std::uint8_t y = group_step::absent,
                              std::uint8_t z = group_step::absent) {
    group_step t;
    t.kind = kind; t.level = level;
    t.arg[0] = x; t.arg[1] = y; t.arg[2] = z;
    for (int const a : t.arg) {
      if (a >= group_step::operand_zero) continue;
      int const known = c.s[a].phase + (c.s[a].reduces() ? 1 : 0);
      if (known > t.phase) t.phase = static_cast<std::uint8_t>(known);
    }
    if ((level != member_level::row || t.reduces()) && t.phase >= c.phases) c.phases = t.phase + 1;
    c.rows = c.rows || level == member_level::row;
    c.node[c.count] = -1;
    c.s[c.count] = t;
    return static_cast<std::uint8_t>(c.count++);
  }
  constexpr void statement(stmt const& s, bool stored) {
    node const& x = g_.nodes[s.id];
    c.domain |= x.axes;
    std::uint8_t arg[3]{group_step::absent, group_step::absent, group_step::absent};
    for (int k = 0; k < (x.kind == op::spread ? 1 : x.nargs); ++k) {
      arg[k] = argument(x.arg[k]);
      if (traits(x.kind).kind != op_class::map) c.domain |= g_.nodes[x.arg[k]].axes;
    }
    constexpr auto row = member_level::row, element = member_level::element;
    if (x.kind == op::softmax || x.kind == op::logsumexp) {
      std::uint8_t const most = push(op::reduce_max, row, arg[0]), e = push(op::shifted_exp, element, arg[0], most);
      std::uint8_t const total = push(op::sum, row, e);
      if (x.kind == op::softmax) push(op::mul, element, e, push(op::reciprocal_or_zero, row, total));
      else push(op::add, row, most, push(op::log, row, total));
    } else if (x.kind == op::contract) {
      push(op::sum, s.level, push(op::mul, element, arg[0], arg[1]));
    } else {
      push(x.kind, s.level, arg[0], arg[1], arg[2]);
    }
    group_step& last = c.s[c.count - 1];
    if (x.kind == op::cast) last.type = x.type;
    last.stored = stored;
    c.results += stored;
    c.node[c.count - 1] = s.id;
  }
  constexpr void finish() {
    for (int k = 0; k < c.operands; ++k) {
      c.of_row[k] = c.row >= 0 && !(g_.nodes[c.operand[k]].axes >> c.row & 1);
      c.rows = c.rows || (c.of_row[k] && g_.nodes[c.operand[k]].axes != 0);
    }
  }

 private:
  graph_view g_;
};
}  // namespace detail

/// The code of the group whose members are the statements [first, end) of a fused plan.
constexpr group_code code_of(graph_view g, plan_view p, detail::group_readers const& readers, int first, int end) {
  detail::group_coder to(g);
  to.c.row = p.s[first].row;
  for (int s = first; s < end; ++s) to.statement(p.s[s], readers.escapes.p[p.s[s].id]);
  to.finish();
  return to.c;
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
