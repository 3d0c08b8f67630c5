// Costs and counts against numbers worked out by hand.
#include "dyadic/passes/cost.hpp"

#include <doctest/doctest.h>

#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/passes/match_params.hpp"
#include "dyadic/passes/measures.hpp"
#include "passes/hand.hpp"

using namespace dyadic;
using dyadic::testing::hand;
using dyadic::testing::hand_plan;

namespace {

// y[t, o] = sum over i of x[t, i] w[o, i]; then tanh; then an attention over t with D = o.
struct sample {
  hand g;
  hand_plan p, looped;
  int t, i, o, x, w, y, z, a;
  constexpr sample() : t(g.new_axis(1, axis_role::scan, 10)), i(g.new_axis(2, axis_role::plain, 3)), o(g.new_axis(3, axis_role::plain, 4)) {
    axis_set const to = bit_of(t) | bit_of(o);
    x = g.leaf_over(bit_of(t) | bit_of(i));
    w = g.leaf_over(bit_of(o) | bit_of(i), leaf_role::parameter);
    y = g.product(x, w, to);
    z = g.map(op::tanh, y);
    node f;
    f.kind = op::attend; f.axis = static_cast<std::int8_t>(t); f.aux = static_cast<std::int8_t>(o); f.axes = to; f.nargs = 6;
    f.arg[0] = static_cast<std::int16_t>(z); f.arg[3] = f.arg[4] = static_cast<std::int16_t>(z); f.far[3] = f.far[4] = 1;
    f.arg[5] = static_cast<std::int16_t>(g.map(op::neg, g.make(op::score, bit_of(t) | pair_bit)));
    a = g.push(f);
    g.result(a);
    p.run(y).run(z).run(a);
    looped.begin(t).run(y).run(z).run(a).end();
  }
};
constexpr bool by_hand() {
  sample const s;
  extents const e = testing::all_axes(s.g.view(), 1);
  double const tanh = traits(op::tanh).flops, per_pair = 4 * 4 + traits(op::exp).flops + 3 + traits(op::neg).flops;
  cost_request q;
  q.stream = s.t;
  program_cost const c = measure_cost(s.g.view(), s.p.view(), e, q), l = measure_cost(s.g.view(), s.looped.view(), e, q);
  bool const whole = c.flops == 2 * 10 * 3 * 4 + 40 * tanh + 45 * per_pair && c.bytes == 4 * ((40 + 30 + 12) + (40 + 40) + (40 + 3 * 40)) &&
                     c.statements == 3 && c.kernels == 3 && c.cache_bytes_per_token == 4 * 4 && c.state_bytes == 0;
  // In the loop the weights are read ten times, and a fold reads the earlier rows: 45 rows of keys and of values.
  bool const loop = l.flops == c.flops && l.kernels == 30 && l.bytes == 4 * ((40 + 30 + 120) + (40 + 40) + (40 + 40 + 2 * 45 * 4));
  return whole && loop && count_parameters(s.g.view(), e) == 12 && c.peak_bytes == 4 * (48 + 48 + 32);
}
static_assert(by_hand());

// The memory of an attention that stores every second position takes half the room, and its pairs are counted exactly.
constexpr bool strided() {
  hand g;
  int const t = g.new_axis(1, axis_role::scan, 10), d = g.new_axis(2, axis_role::plain, 4);
  axis_set const td = bit_of(t) | bit_of(d);
  int const x = g.leaf_over(td), z = g.map(op::tanh, x);
  node where;
  where.kind = op::iota; where.type = dtype::i32; where.axis = static_cast<std::int8_t>(t); where.axes = bit_of(t);
  node keep;
  keep.kind = op::keep; keep.axis = static_cast<std::int8_t>(t); keep.axes = td; keep.nargs = 2;
  keep.arg[0] = static_cast<std::int16_t>(z);
  int const rest = g.map(op::modulo, g.push(where), g.constant(2, dtype::i32));
  keep.arg[1] = static_cast<std::int16_t>(g.make(op::equal, bit_of(t), dtype::boolean, 0, rest, g.constant(0, dtype::i32)));
  int const k = g.push(keep);
  node f;
  f.kind = op::attend; f.axis = static_cast<std::int8_t>(t); f.aux = static_cast<std::int8_t>(d); f.axes = td; f.nargs = 6;
  f.arg[0] = static_cast<std::int16_t>(z); f.arg[3] = f.arg[4] = static_cast<std::int16_t>(k); f.far[3] = f.far[4] = 1;
  f.arg[5] = static_cast<std::int16_t>(g.make(op::score, bit_of(t) | pair_bit));
  int const a = g.push(f);
  g.result(a);
  hand_plan p;
  p.run(a);
  extents const e = testing::all_axes(g.view(), 1);
  cost_request q;
  q.stream = t;
  program_cost const c = measure_cost(g.view(), p.view(), e, q);
  double const pairs = 9 + 7 + 5 + 3 + 1;   // keys 0, 2, 4, 6, 8
  return c.flops == pairs * (4 * 4 + traits(op::exp).flops + 3) && c.cache_bytes_per_token == 4 * 4 / 2.0;
}
static_assert(strided());

constexpr models::config small{.vocabulary = 64, .width = 16, .layers = 1, .heads = 2, .hidden = 48};
constexpr models::config deep{.vocabulary = 64, .width = 16, .layers = 5, .heads = 2, .hidden = 48};
constexpr std::int64_t layer_size = 2 * 16 + 4 * 16 * 16 + 2 * 8 + 3 * 16 * 48, rest = 2 * 64 * 16 + 16;
using models::transformer;
static_assert(parameter_count<transformer<small>> == layer_size + rest);
static_assert(parameter_count<transformer<deep>> == 5 * layer_size + rest);
using deepest = matched_member<transformer, detail::counted_parameters, small, rest + 5 * layer_size + 7, vary_layers>;
static_assert(deepest::n == 5 && deepest::count == rest + 5 * layer_size);
using nearest = matched_member<transformer, detail::counted_parameters, small, rest + 6 * layer_size - 7, vary_layers, match_rule::nearest>;
static_assert(nearest::n == 6);
using widest = matched_member<transformer, detail::counted_parameters, small, 40000, vary_width<4>>;
static_assert(widest::count <= 40000 && widest::probe::count<widest::n + 1> > 40000);
// A recurrent transformer has no parameter more than a transformer, so its partner is as deep.
static_assert(std::is_same_v<match_params<transformer, models::recurrent_transformer<deep>>, transformer<deep>>);
constexpr double forward = cost<transformer<small>>(models::batch{1}, models::seq{64}).flops;
static_assert(forward > 0 && cost<training<transformer<small>>>(models::batch{1}, models::seq{64}).flops > 2 * forward);

}  // namespace

TEST_CASE("costs worked out by hand") { CHECK(by_hand()); CHECK(strided()); }

TEST_CASE("a transformer's contractions") {
  using P = evaluation<models::transformer<small>>;
  extents const e = extents_of(P::graph, join(P::model::extents(), bind(models::batch{2}, models::seq{8})));
  detail::cost_meter meter(P::graph, e, {});
  double contractions = 0;
  for (int i = 0; i < P::graph.size; ++i)
    if (P::graph[i].kind == op::contract)
      if (P::graph[P::graph[i].arg[1]].kind == op::param || P::graph[P::graph[i].arg[0]].kind == op::param) contractions += meter.flops(i);
  CHECK(contractions == 2.0 * 16 * (4 * 16 * 16 + 3 * 16 * 48 + 64 * 16));
  cost_request q;
  for (int a = 0; a < P::graph.naxes; ++a) if (P::graph.axes[a].key == axis_key<models::seq>) q.stream = a;
  program_cost const c = measure_cost(P::graph, P::plan, e, q);
  CHECK(c.cache_bytes_per_token == 2 * 2 * 16 * 4);   // keys and values of two rows of the batch
  CHECK(c.flops > contractions);
}
