// Plans of hand-made graphs, at compile time: which loops there are, and what lies in them.
#include <doctest/doctest.h>

#include "dyadic/passes/adjoint.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/solve.hpp"
#include "dyadic/plan/queries.hpp"
#include "support/hand_made.hpp"
#include "support/plan_checker.hpp"

namespace {

using dyadic::axis_role;
using dyadic::axis_set;
using dyadic::bit_of;
using dyadic::op;
using test::hand_made;

// Graphs, with `loss` as their result.
constexpr dyadic::builder transformer() {
  hand_made m;
  m.result(m.sum(m.stack(m.input(m.row()), false), m.feature));
  return m.b;
}
constexpr dyadic::builder recurrent_transformer() {
  hand_made m;
  m.result(m.sum(m.stack(m.input(m.row()), true), m.feature));
  return m.b;
}
// The stack's top is the next token's input.
constexpr dyadic::builder full_bandwidth() {
  hand_made m;
  int const h = m.prev(m.seq, m.row());
  int const top = m.dense(m.stack(m.add(m.dense(h), m.input(m.row())), false));
  m.write(h, top);
  m.result(m.sum(top, m.feature));
  return m.b;
}
constexpr dyadic::builder lstm() {
  hand_made m;
  int const x = m.input(m.row()), h = m.prev(m.seq, m.row()), c = m.prev(m.seq, m.row());
  int const gate = m.add(m.dense(x), m.dense(h)), cell = m.add(m.mul(gate, c), m.tanh(gate)), out = m.mul(m.tanh(cell), gate);
  m.write(c, cell);
  m.write(h, out);
  m.result(m.sum(m.dense(out), m.feature));
  return m.b;
}
// A layer attends to what the layers below it kept at the same token.
constexpr dyadic::builder depth_memory() {
  hand_made m;
  int const x = m.input(m.row()), h = m.prev(m.layer, m.row(), x);
  int const q = m.dense(h, bit_of(m.layer)), k = m.dense(h, bit_of(m.layer));
  int const a = m.attend(m.layer, q, m.contract(q, k, m.feature), k, m.score(q));
  int const z = m.block(m.add(h, a), bit_of(m.layer), true);
  m.append(a, k, k);
  m.write(h, z);
  m.result(m.sum(m.along(op::pick, z, m.layer, m.row(), -1, x), m.feature));
  return m.b;
}
// A state carried over chunks, from the sum of a chunk to the positions of the next.
constexpr dyadic::builder chunked() {
  hand_made m;
  int const within = m.axis("within", axis_role::scan);
  int const chunk = m.axis("chunk", axis_role::scan, dyadic::extent_rule::quotient, m.seq, within);
  int const x = m.stack(m.input(m.row()), false), c = m.split(x, m.seq, chunk, within);
  int const state = m.prev(chunk, m.b.shape(c) & ~bit_of(within));
  m.write(state, m.tanh(m.add(m.dense(state), m.sum(m.mul(c, m.softmax(c, within)), within))));
  m.result(m.sum(m.merge(m.add(c, m.dense(state)), chunk, within, m.seq), m.feature));
  return m.b;
}
// A weight shared by all layers, and one found by an index: what cannot be in a loop over the layers.
constexpr dyadic::builder gathered() {
  hand_made m;
  int const x = m.input(m.row()), order = m.input(bit_of(m.layer)), w = m.param(bit_of(m.layer) | bit_of(m.feature));
  int const permuted = m.along(op::gather, m.tanh(w), m.layer, m.b.shape(w), 0, order);
  int const h = m.prev(m.layer, m.row(), x), z = m.add(m.mul(h, permuted), m.dense(h));
  m.write(h, z);
  m.result(m.sum(m.pick(z, m.layer), m.feature));
  return m.b;
}

// Two stacks; the layers of the second read the layer after theirs in the first: they cannot share a loop, though both run up.
constexpr dyadic::builder crossing_stacks() {
  hand_made m;
  int const x = m.input(m.row()), h = m.prev(m.layer, m.row(), x), z = m.tanh(m.add(h, x));
  m.write(h, z);
  int const g = m.prev(m.layer, m.row(), x), later = m.prev(m.layer, m.row(), g, -1), y = m.tanh(later);
  m.write(later, z);
  m.write(g, y);
  m.result(m.sum(m.pick(y, m.layer), m.feature));
  return m.b;
}
// Every layer reads its neighbours on both sides, one token before: only tokens can be outermost.
constexpr dyadic::builder neighbours() {
  hand_made m;
  axis_set const shape = m.row() | bit_of(m.layer);
  int const h = m.prev(m.seq, shape), z = m.tanh(m.add(m.input(m.row()), m.add(m.shift(h, m.layer, 1), m.shift(h, m.layer, -1))));
  m.write(h, z);
  m.result(m.sum(m.pick(z, m.layer), m.feature));
  return m.b;
}

// What is asked of a plan.
struct facts {
  int layer_loops, layers_up, layers_down, outside_layers, seq_loops, tiled, stuck;
  constexpr bool operator==(facts const&) const = default;
};
constexpr facts facts_of(dyadic::graph_view g, dyadic::plan_view p, int layer, int seq) {
  facts f{dyadic::loops_over(p, layer), 0, 0, dyadic::count_outside(g, p, layer), dyadic::loops_over(p, seq),
          dyadic::loops_over(p, seq, dyadic::loop_kind::tiled), p.stuck};
  for (int k = 0; k < p.size; ++k)
    if (p[k].kind == dyadic::stmt::begin && p[k].id == layer) ++(p[k].dir > 0 ? f.layers_up : f.layers_down);
  return f;
}
constexpr int seq = 1, layer = 4;   // as hand_made numbers them
constexpr facts forward_facts(dyadic::builder const& b) {
  dyadic::plan const p = dyadic::arrange(b.view());
  return facts_of(b.view(), p.view(), layer, seq);
}
constexpr facts joint_facts(dyadic::builder const& b) {
  dyadic::builder const j = dyadic::adjoint(b.view());
  dyadic::plan const p = dyadic::arrange(j.view());
  return facts_of(j.view(), p.view(), layer, seq);
}

dyadic::extents sizes(dyadic::graph_view g, int length, int depth) {
  dyadic::extents e;
  for (int a = 0; a < g.naxes; ++a) {
    if (g.axes[a].rule != dyadic::extent_rule::bound) continue;
    e.of[a] = a == seq ? length : g.axes[a].role == axis_role::repeat ? depth : g.axes[a].role == axis_role::plain ? 2 : 3;
  }
  return e;
}
std::string violation(dyadic::graph_view g, dyadic::order const& o = {}) {
  dyadic::plan const p = dyadic::arrange(g, o);
  for (int length : {0, 1, 2, 5, 8})
    for (int depth : {0, 1, 3}) {
      std::string const v = test::violation(g, p.view(), sizes(g, length, depth));
      if (!v.empty()) return v + "\n" + dyadic::to_table(g, p.view());
    }
  return "";
}
std::string joint_violation(dyadic::builder const& b) { dyadic::builder const j = dyadic::adjoint(b.view()); return violation(j.view()); }
std::string stream_violation(dyadic::builder const& b) { dyadic::order o; o.force = seq; return violation(b.view(), o); }

// A Transformer has no token loop, forwards or backwards; the layers are one loop up and one down, with everything of theirs inside.
static_assert(forward_facts(transformer()) == facts{1, 1, 0, 0, 0, 0, -1});
static_assert(joint_facts(transformer()) == facts{2, 1, 1, 0, 0, 0, -1});
// A Recurrent Transformer has a tiled token loop in each.
static_assert(forward_facts(recurrent_transformer()) == facts{1, 1, 0, 0, 1, 1, -1});
static_assert(joint_facts(recurrent_transformer()) == facts{2, 1, 1, 0, 2, 2, -1});
static_assert(forward_facts(depth_memory()) == facts{1, 1, 0, 0, 1, 1, -1});
static_assert(joint_facts(depth_memory()) == facts{2, 1, 1, 0, 2, 2, -1});
// Feedback: tokens outermost, sequential; its backward takes tiles all the same. The layers' weight gradients are one more loop.
static_assert(forward_facts(full_bandwidth()) == facts{1, 1, 0, 0, 1, 0, -1});
static_assert(joint_facts(full_bandwidth()).outside_layers == 0);
static_assert(joint_facts(full_bandwidth()).seq_loops == 2);
static_assert(forward_facts(lstm()) == facts{0, 0, 0, 0, 1, 0, -1});
static_assert(joint_facts(lstm()) == facts{0, 0, 0, 0, 2, 0, -1});
static_assert(forward_facts(chunked()) == facts{1, 1, 0, 0, 0, 0, -1});
static_assert(joint_facts(chunked()) == facts{2, 1, 1, 0, 0, 0, -1});
// Only the gather along the layers stays outside, and what its gradient needs of it.
static_assert(forward_facts(gathered()) == facts{2, 2, 0, 1, 0, 0, -1});

static_assert(forward_facts(crossing_stacks()) == facts{2, 2, 0, 0, 0, 0, -1});
static_assert(forward_facts(neighbours()).stuck < 0 && forward_facts(neighbours()).seq_loops == 1);

// Passes enclose layers, forwards and backwards.
constexpr bool passes_enclose_layers() {
  dyadic::builder const solved = dyadic::solve(full_bandwidth().view(), seq, dyadic::solver_kind::jacobi);
  dyadic::builder const j = dyadic::adjoint(solved.view());
  dyadic::plan const p = dyadic::arrange(j.view());
  int pass = -1;
  for (int a = 0; a < j.axes.size; ++a) if (j.axes[a].role == axis_role::pass) pass = a;
  return p.stuck < 0 && dyadic::is_nested(p.view(), pass, layer) && !dyadic::is_nested(p.view(), layer, pass) &&
         dyadic::count_outside(j.view(), p.view(), pass) == 0 && dyadic::count_outside(j.view(), p.view(), layer) == 0 &&
         dyadic::loops_over(p.view(), pass) == 2 && dyadic::is_parallel(p.view(), seq);
}
static_assert(passes_enclose_layers());

// What cannot be ordered names a node.
constexpr int stuck_cycle() {
  hand_made m;
  int const up = m.prev(m.seq, m.row()), down = m.prev(m.seq, m.row(), -1, -1);
  int const z = m.tanh(m.add(up, down));
  m.write(up, z);
  m.write(down, z);
  return dyadic::arrange(m.b.view()).stuck;
}
static_assert(stuck_cycle() >= 0);
constexpr int stuck_across() {   // a softmax over the axis of its own recurrence
  hand_made m;
  int const h = m.prev(m.seq, m.row());
  m.write(h, m.softmax(m.tanh(h), m.seq));
  return dyadic::arrange(m.b.view()).stuck;
}
static_assert(stuck_across() >= 0);
constexpr int stuck_stream(bool sum) {
  hand_made m;
  int const x = m.input(m.row());
  m.result(sum ? m.add(x, m.sum(x, m.seq)) : m.shift(x, m.seq, -1));
  dyadic::order o;
  o.force = m.seq;
  return dyadic::arrange(m.b.view(), o).stuck;
}
static_assert(stuck_stream(true) >= 0 && stuck_stream(false) >= 0);

// A fold waits for its query, and for what its score reads at the query; not for the self pair, nor for a state beside it.
constexpr bool takes_tiles(bool state_beside, bool query_on_cycle, bool score_on_cycle) {
  hand_made m;
  int const x = m.input(m.row()), h = m.prev(m.seq, m.row());
  int const q = query_on_cycle ? m.dense(m.add(x, h)) : m.dense(x);
  int const gate = m.sum(score_on_cycle ? m.add(x, h) : x, m.feature);
  int const a = m.attend(m.seq, q, m.contract(q, h, m.feature), h, m.b.map(op::add, m.score(q), gate));
  int const z = m.tanh(state_beside ? m.add(a, h) : a);
  m.append(a, z, z);
  m.write(h, z);
  dyadic::plan const p = dyadic::arrange(m.b.view());
  return dyadic::loops_over(p.view(), m.seq, dyadic::loop_kind::tiled) == 1 && p.stuck < 0;
}
static_assert(takes_tiles(false, false, false) && takes_tiles(true, false, false));
static_assert(!takes_tiles(true, true, false) && !takes_tiles(true, false, true));
// What its score reads at the key may be on the cycle.
constexpr bool takes_tiles_with_learned_keys() {
  hand_made m;
  int const x = m.input(m.row()), q = m.dense(x);
  int const h = m.prev(m.seq, m.row()), bias = m.sum(h, m.feature);
  int const a = m.attend(m.seq, q, -1, -1, m.b.map(op::add, m.score(q), m.at_key(bias, m.seq)));
  int const z = m.tanh(m.add(a, h));
  m.append(a, z, z);
  m.write(h, z);
  dyadic::plan const p = dyadic::arrange(m.b.view());
  return dyadic::loops_over(p.view(), m.seq, dyadic::loop_kind::tiled) == 1;
}
static_assert(takes_tiles_with_learned_keys());

// Derivative maps of forward values are made in the backward loop.
constexpr bool slopes_are_late() {
  dyadic::builder const j = [] { dyadic::builder const g = recurrent_transformer(); return dyadic::adjoint(g.view()); }();
  int const forward = recurrent_transformer().size();
  dyadic::plan const p = dyadic::arrange(j.view());
  int loop = 0, early = 0;
  for (int k = 0; k < p.s.size; ++k) {
    dyadic::stmt const& s = p.s[k];
    if (s.kind == dyadic::stmt::begin && s.id == layer) ++loop;
    if (s.kind == dyadic::stmt::run && loop == 1 && s.id >= forward && (j.shape(s.id) >> layer & 1) && j[s.id].kind != op::attend_lse)
      ++early;
    if (s.kind == dyadic::stmt::end && s.id == layer && loop == 1) return early == 0;
  }
  return false;
}
static_assert(slopes_are_late());

// Within clang's default limit of constant evaluation.
constexpr dyadic::builder deep(int stacks) {
  hand_made m;
  int x = m.input(m.row());
  for (int k = 0; k < stacks; ++k) x = m.stack(x, k % 2 == 0);
  m.result(m.sum(x, m.feature));
  return m.b;
}
struct measured { int nodes, stuck; };
constexpr measured large() {
  dyadic::builder const g = deep(24), j = dyadic::adjoint(g.view());
  return {j.size(), dyadic::arrange(j.view()).stuck};
}
constexpr measured large_plan = large();
static_assert(large_plan.nodes > 1500 && large_plan.stuck < 0);

}  // namespace

TEST_CASE("arrange: every read finds its value made") {
  for (auto make : {&transformer, &recurrent_transformer, &full_bandwidth, &lstm, &depth_memory, &chunked, &gathered, &crossing_stacks, &neighbours}) {
    CHECK(violation(make().view()) == "");
    CHECK(joint_violation(make()) == "");
    CHECK(stream_violation(make()) == "");
  }
  dyadic::builder const d = deep(3);
  CHECK(joint_violation(d) == "");
}

TEST_CASE("arrange: the checker sees a wrong plan") {
  dyadic::builder const g = recurrent_transformer();
  dyadic::plan p = dyadic::arrange(g.view());
  int const first = [&] { int k = 0; while (p.s[k].kind != dyadic::stmt::run || !(g.shape(p.s[k].id) >> layer & 1)) ++k; return k; }();
  std::swap(p.s[first], p.s[first + 1]);
  CHECK(test::violation(g.view(), p.view(), sizes(g.view(), 4, 2)) != "");
  p = dyadic::arrange(g.view());
  for (int k = 0; k < p.s.size; ++k) p.s[k].dir = -1;
  CHECK(test::violation(g.view(), p.view(), sizes(g.view(), 4, 2)) != "");
}

TEST_CASE("arrange: chunks in a streamed loop") {
  dyadic::builder const g = chunked();
  dyadic::order o;
  o.force = seq;
  dyadic::plan const p = dyadic::arrange(g.view(), o);
  int begins = 0, ends = 0;
  for (int k = 0; k < p.s.size; ++k) {
    begins += p.s[k].guard == dyadic::stmt::chunk_begin;
    ends += p.s[k].guard == dyadic::stmt::chunk_end;
    if (p.s[k].kind == dyadic::stmt::run && g[p.s[k].id].kind == op::softmax) CHECK(p.s[k].guard == dyadic::stmt::chunk_end);
  }
  CHECK(begins > 0);
  CHECK(ends > 0);
}
