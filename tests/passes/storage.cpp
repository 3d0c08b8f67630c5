// Contraction, lifetimes, streaming state and packing on plans made by hand.
#include <doctest/doctest.h>

#include "dyadic/passes/memory.hpp"
#include "passes/hand.hpp"
#include "passes/tag_machine.hpp"

using namespace dyadic;
using dyadic::testing::hand;
using dyadic::testing::hand_plan;

namespace {

// Inside a loop over t inside a loop over l: a is read in the same iteration, z one layer on, h one position on.
struct nested {
  hand g;
  hand_plan p;
  int t, l, d, x, below, a, z, h, s;
  constexpr nested() : t(g.new_axis(1, axis_role::scan, 6)), l(g.new_axis(2, axis_role::repeat, 3)), d(g.new_axis(3, axis_role::plain, 5)) {
    axis_set const td = bit_of(t) | bit_of(d), all = td | bit_of(l);
    x = g.leaf_over(td);
    below = g.earlier(l, all, -1, x);
    h = g.earlier(t, all, -1);
    a = g.map(op::tanh, g.map(op::add, below, h));
    z = g.map(op::exp, a);
    s = g.map(op::neg, z);
    g.link(below, z);
    g.link(h, s);
    g.result(g.make(op::pick, td, dtype::f32, -1, z));
    g[g.outputs[0].node].axis = static_cast<std::int8_t>(l);
    p.begin(l).begin(t).run(below).run(h).run(g[a].arg[0]).run(a).run(z).run(s).end().end().run(g.outputs[0].node);
  }
};
static_assert([] {
  nested const n;
  extents const e = testing::all_axes(n.g.view(), 1);
  memory_plan const m = plan_memory(n.g.view(), n.p.view(), e);
  axis_set const d = bit_of(n.d), td = d | bit_of(n.t), all = td | bit_of(n.l);
  return m.of[n.a].stored == d && m.of[n.below].stored == d && m.of[n.h].stored == d && m.of[n.s].stored == td && m.of[n.z].stored == all &&
         m.of[n.x].region == storage::leaf && m.of[n.a].size == 5 && m.of[n.z].size == 90 &&
         m.arena >= m.live_peak && m.live_peak >= 90 + 30;
}());

void judge(graph_view g, plan_view p, memory_plan const& m, extents const& e) {
  testing::tag_machine machine(g, p, m, e);
  bool const ok = machine.run();
  INFO(machine.error);
  CHECK(ok);
  CHECK(machine.checked > 0);
}

}  // namespace

TEST_CASE("values of nested loops") {
  nested const n;
  extents const e = testing::all_axes(n.g.view(), 1);
  judge(n.g.view(), n.p.view(), plan_memory(n.g.view(), n.p.view(), e), e);
}

TEST_CASE("random chains in random loops are never overwritten") {
  std::mt19937_64 random(3);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    hand g;
    hand_plan p;
    int const axis[3] = {g.new_axis(1, axis_role::scan, 1 + pick(4)), g.new_axis(2, axis_role::repeat, 1 + pick(3)),
                         g.new_axis(3, axis_role::scan, 1 + pick(3))};
    int const d = g.new_axis(4, axis_role::plain, 1 + pick(40));
    axis_set all = bit_of(d);
    for (int a : axis) all |= bit_of(a);
    std::vector<int> values{g.leaf_over(all)};
    int before = -1;
    std::vector<int> open;         // far reads of this loop body, linked to values made later in it
    int depth = 0;
    std::vector<std::vector<int>> scopes{{0}};   // what is complete inside and outside of the loops
    for (int n = 0; n < 40; ++n) {
      int const what = pick(8);
      if (what == 0 && depth < 3) { p.begin(axis[depth++], 1); scopes.emplace_back(); continue; }
      if (what == 1 && depth > 0) {
        if (before >= 0) { g.link(before, values.back()); before = -1; }
        p.end();
        --depth;
        auto const inner = scopes.back();
        scopes.pop_back();
        scopes.back().insert(scopes.back().end(), inner.begin(), inner.end());
        continue;
      }
      std::vector<int> visible;
      for (auto const& s : scopes) visible.insert(visible.end(), s.begin(), s.end());
      auto some = [&] { return values[static_cast<std::size_t>(visible[random() % visible.size()])]; };
      int r;
      if (what == 2 && depth > 0 && before < 0) {
        r = before = g.earlier(axis[pick(depth)], all, -1);
      } else {
        node x;
        x.kind = what < 5 ? op::add : op::tanh;
        x.axes = all; x.distinct = true;
        x.nargs = x.kind == op::add ? 2 : 1;
        for (int k = 0; k < x.nargs; ++k) x.arg[k] = static_cast<std::int16_t>(some());
        r = g.push(x);
      }
      p.run(r);
      scopes.back().push_back(static_cast<int>(values.size()));
      values.push_back(r);
    }
    if (before >= 0) g.link(before, values.back());
    while (depth-- > 0) p.end();
    g.result(values.back());
    g.result(values[values.size() / 2]);
    extents const e = testing::all_axes(g.view(), 1);
    for (int attempts = 1; attempts <= 3; ++attempts) {
      memory_request q;
      q.attempts = attempts;
      memory_plan const m = plan_memory(g.view(), p.view(), e, q);
      CHECK(m.arena >= m.live_peak);
      judge(g.view(), p.view(), m, e);
    }
  }
}

TEST_CASE("packed intervals that are alive together do not overlap, and take little more than the peak") {
  std::mt19937_64 random(5);
  double worst = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<interval> v(1 + random() % 60);
    for (auto& x : v) {
      x.start = static_cast<int>(random() % 50);
      x.end = x.start + static_cast<int>(random() % 12);
      x.size = storage_alignment * static_cast<std::int64_t>(random() % 20);
    }
    int const n = static_cast<int>(v.size());
    std::int64_t const total = pack_intervals(v.data(), n), peak = live_peak(v.data(), n);
    CHECK(total >= peak);
    if (peak > 0) worst = std::max(worst, static_cast<double>(total) / static_cast<double>(peak));
    for (auto const& x : v)
      for (auto const& y : v) {
        if (&x == &y || !x.size || !y.size || x.end < y.start || y.end < x.start) continue;
        CHECK((x.offset + x.size <= y.offset || y.offset + y.size <= x.offset));
      }
    for (auto const& x : v) CHECK((x.offset >= 0 && x.offset + x.size <= total));
  }
  CHECK(worst < 1.3);
}

namespace {
// A decoder's step: an attention over stored keys, every second one kept; a state one position back; a shift by 3.
struct step {
  hand g;
  hand_plan p;
  int t, d, q, k, kept, a, h, before, far3;
  constexpr step() : t(g.new_axis(1, axis_role::scan, 10)), d(g.new_axis(2, axis_role::plain, 4)) {
    axis_set const td = bit_of(t) | bit_of(d);
    int const x = g.leaf_over(td);
    q = g.map(op::tanh, x);
    k = g.map(op::exp, x);
    node where;
    where.kind = op::iota; where.type = dtype::i32; where.axis = static_cast<std::int8_t>(t); where.axes = bit_of(t);
    int const rest = g.map(op::modulo, g.push(where), g.constant(2, dtype::i32));
    int const even = g.make(op::equal, bit_of(t), dtype::boolean, 0, rest, g.constant(0, dtype::i32));
    node keep;
    keep.kind = op::keep; keep.axis = static_cast<std::int8_t>(t); keep.axes = td; keep.nargs = 2;
    keep.arg[0] = static_cast<std::int16_t>(k); keep.arg[1] = static_cast<std::int16_t>(even);
    kept = g.push(keep);
    node f;
    f.kind = op::attend; f.axis = static_cast<std::int8_t>(t); f.aux = static_cast<std::int8_t>(d); f.axes = td; f.nargs = 6;
    f.arg[0] = static_cast<std::int16_t>(q); f.arg[3] = f.arg[4] = static_cast<std::int16_t>(kept); f.far[3] = f.far[4] = 1;
    f.arg[5] = static_cast<std::int16_t>(g.make(op::score, bit_of(t) | pair_bit));
    a = g.push(f);
    before = g.earlier(t, td, -1);
    h = g.map(op::tanh, g.map(op::add, before, a));
    g.link(before, h);
    far3 = g.earlier(t, td, q, -1, 3);
    g.result(g.map(op::add, h, far3));
    p.begin(t).run(q).run(k).run(even).run(kept).run(a).run(before).run(g[h].arg[0]).run(h).run(far3).run(g.outputs[0].node).end();
  }
};
}  // namespace

static_assert([] {
  step const s;
  extents const e = testing::all_axes(s.g.view(), 1);
  memory_request q;
  q.stream = s.t;
  memory_plan const m = plan_memory(s.g.view(), s.p.view(), e, q);
  axis_set const d = bit_of(s.d), td = d | bit_of(s.t);
  bool const regions = m.of[s.kept].region == storage::state && m.of[s.h].region == storage::state && m.of[s.q].region == storage::state &&
                       m.of[s.k].region == storage::arena && m.of[s.a].region == storage::arena &&
                       m.of[s.g.outputs[0].node].region == storage::arena;
  bool const rows = m.of[s.h].ring == 2 && m.of[s.q].ring == 4 && m.of[s.kept].ring == 0 && m.of[s.kept].size == 40 && m.of[s.h].size == 8;
  bool const one = m.of[s.k].stored == d && m.of[s.a].stored == d && m.of[s.kept].stored == td && m.of[s.g.outputs[0].node].stored == d;
  q.compact_keeps = true;
  memory_plan const c = plan_memory(s.g.view(), s.p.view(), e, q);
  bool const compact = c.of[s.kept].size == 20 && c.of[s.kept].row_table == 0 && c.row(0, 4) == 2 && c.row(0, 5) == -1 &&
                       stored_extents(s.g.view(), c, s.kept, e)[s.t] == 5;
  q.compact_keeps = false;
  q.window = 3;
  memory_plan const w = plan_memory(s.g.view(), s.p.view(), e, q);
  hand_plan whole;   // without the loop, a window's rows are written before they are read
  whole.run(s.q).run(s.k).run(s.kept).run(s.far3);
  if (plan_memory(s.g.view(), whole.view(), e, q).of[s.q].ring != 6) return false;
  return regions && rows && one && compact && w.of[s.q].ring == 4 && w.of[s.g.outputs[0].node].size == 12 && m.state == 48 + 16 + 16;
}());
