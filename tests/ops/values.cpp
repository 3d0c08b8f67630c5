// What ops and functions mean, by hand-written numbers: shapes, order of axes, ends, empty axes. Evaluated by definition; engines are
// compared with the same evaluator elsewhere.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/op_graph.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {
using list = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();

/// The elements of x in the order of its spelled axes.
template <class... A, class T, class H>
list values_of_expr(op_graph& t, expr<axes<A...>, T, H> x, std::vector<list> const& data, std::int64_t n) {
  reference_evaluator e(t.b.view(), t.extents_for(n), data);
  output o;
  ((o.order[o.rank++] = static_cast<std::int8_t>(axis_id<A>(t.b))), ...);
  list r;
  std::vector<testing::position> at{testing::position{}};
  for (int k = 0; k < o.rank; ++k) {
    std::vector<testing::position> next;
    for (testing::position const& p : at)
      for (std::int64_t i = 0; i < e.extent[o.order[k]]; ++i) next.push_back(p.with(o.order[k], i));
    at = next;
  }
  for (testing::position const& p : at) r.push_back(e.at(x.id, p));
  CHECK(e.cycle == -1);
  return r;
}
template <class X, class Axes> constexpr bool shows = same_axes<typename X::shape, Axes>;
}  // namespace

TEST_CASE("reductions, and reductions of nothing") {
  op_graph t;
  auto const x = t.real<row, col>();
  list const data{1, 5, 2, 7, 0, 7};
  CHECK(values_of_expr(t, sum<col>(x), {data}, 2) == list{8, 14});
  CHECK(values_of_expr(t, sum<row, col>(x), {data}, 2) == list{22});
  CHECK(values_of_expr(t, mean<col>(x), {data}, 2) == list{8 / 3., 14 / 3.});
  CHECK(values_of_expr(t, max<col>(x), {data}, 2) == list{5, 7});
  CHECK(values_of_expr(t, min<row>(x), {data}, 2) == list{1, 0, 2});
  CHECK(values_of_expr(t, argmax<col>(x), {data}, 2) == list{1, 0});
  CHECK(values_of_expr(t, contract<col>(x, x), {data}, 2) == list{30, 98});
  CHECK(values_of_expr(t, variance<row>(x), {data}, 2) == list{9, 6.25, 6.25});
  CHECK(values_of_expr(t, sum<row>(x), {{}}, 0) == list{0, 0, 0});
  CHECK(values_of_expr(t, mean<row>(x), {{}}, 0) == list{0, 0, 0});
  CHECK(values_of_expr(t, variance<row>(x), {{}}, 0) == list{0, 0, 0});
  CHECK(values_of_expr(t, max<row>(x), {{}}, 0) == list{-inf, -inf, -inf});
  CHECK(values_of_expr(t, min<row>(x), {{}}, 0) == list{inf, inf, inf});
  CHECK(values_of_expr(t, argmax<row>(x), {{}}, 0) == list{-1, -1, -1});
  CHECK(values_of_expr(t, logsumexp<row>(x), {{}}, 0) == list{-inf, -inf, -inf});
  CHECK(values_of_expr(t, softmax<row>(x), {{}}, 0) == list{});
  CHECK(values_of_expr(t, contract<row>(x, x), {{}}, 0) == list{0, 0, 0});
}

TEST_CASE("softmax and logsumexp of large and masked rows") {
  op_graph t;
  auto const x = t.real<row, col>();
  list const data{1e4, 1e4, -1e4, -inf, 0, -inf, -inf, -inf, -inf};
  CHECK(values_of_expr(t, softmax<col>(x), {data}, 3) == list{.5, .5, 0, 0, 1, 0, 0, 0, 0});
  auto const l = values_of_expr(t, logsumexp<col>(x), {data}, 3);
  CHECK(l[0] == doctest::Approx(1e4 + std::log(2.0)));
  CHECK(l[1] == 0);
  CHECK(l[2] == -inf);
}

TEST_CASE("views") {
  op_graph t;
  auto const x = t.real<row, col>();
  list const data{1, 2, 3, 4, 5, 6, 7, 8, 9};   // row 3, col 3
  CHECK(values_of_expr(t, rename<row, dep>(x), {data}, 3) == list{1, 2, 3, 4, 5, 6});
  CHECK(values_of_expr(t, slice<row, dep>(x, 1), {data}, 3) == list{4, 5, 6, 7, 8, 9});
  CHECK(values_of_expr(t, slice<row, dep>(x, 2), {data}, 3) == list{7, 8, 9, 0, 0, 0});
  CHECK(values_of_expr(t, slice<row, dep>(x, -1), {data}, 3) == list{0, 0, 0, 1, 2, 3});
  CHECK(values_of_expr(t, pick<row>(x, -1), {data}, 3) == list{7, 8, 9});
  CHECK(values_of_expr(t, pick<row>(x, 1), {data}, 3) == list{4, 5, 6});
  CHECK(values_of_expr(t, place<dep>(pick<row>(x, 0), -1), {data}, 3) == list{0, 1, 0, 2, 0, 3});
  auto const s = split<row, outer_row, inner_row>(x);
  static_assert(shows<std::remove_const_t<decltype(s)>, axes<col, outer_row, inner_row>>);
  CHECK(values_of_expr(t, s, {data}, 3) == list{1, 4, 7, 0, 2, 5, 8, 0, 3, 6, 9, 0});
  CHECK(values_of_expr(t, merge<outer_row, inner_row, row>(s), {data}, 3) == list{1, 4, 7, 2, 5, 8, 3, 6, 9});
  CHECK(values_of_expr(t, spread<dep>(pick<row>(x, 0)), {data}, 3) == list{1, 1, 2, 2, 3, 3});
}

TEST_CASE("concatenate and slice back") {
  op_graph t;
  auto const x = t.real<row, dep>();
  auto const y = t.real<col, dep>();
  auto const z = concatenate<row, col, both>(x, y);
  CHECK(values_of_expr(t, z, {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}}, 2) == list{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(values_of_expr(t, z, {{}, {5, 6, 7, 8, 9, 10}}, 0) == list{5, 6, 7, 8, 9, 10});
  CHECK(values_of_expr(t, slice<both, row>(z), {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}}, 2) == list{1, 2, 3, 4});
}

TEST_CASE("gather, scatter, cross_entropy") {
  op_graph t;
  auto const table = t.real<col, dep>();
  auto const index = t.index<row>(-1, 2);
  std::vector<list> const data{{1, 2, 3, 4, 5, 6}, {2, -1, 0, 3, 2}};
  auto const g = gather<col>(table, index);
  static_assert(std::is_same_v<decltype(g)::shape, axes<row, dep>>, "an embedding is spelled <index axes, feature axes>");
  CHECK(values_of_expr(t, g, data, 5) == list{5, 6, 0, 0, 1, 2, 0, 0, 5, 6});
  CHECK(values_of_expr(t, scatter<col>(g, index), data, 5) == list{1, 2, 0, 0, 10, 12});
  op_graph u;
  auto const logits = u.real<row, col>();
  auto const target = u.index<row>(-1, 2);
  auto const loss = values_of_expr(u, cross_entropy<col>(logits, target), {{0, 0, 0, 1e4, 0, -1e4, 1, 2, 3}, {1, 2, -1}}, 3);
  CHECK(loss[0] == doctest::Approx(std::log(3.0)));
  CHECK(loss[1] == 2e4);
  CHECK(loss[2] == 0);
}

TEST_CASE("rotary positions turn pairs and keep lengths") {
  op_graph t;
  auto const x = t.real<row, wide>();
  list const one{1, 2, 3, 4};
  CHECK(values_of_expr(t, rotate_half<wide>(x), {one}, 1) == list{-3, -4, 1, 2});
  CHECK(values_of_expr(t, rotate_half<wide, interleaved_pairs>(x), {one}, 1) == list{-2, 1, -4, 3});
  CHECK(values_of_expr(t, rotate_half<wide>(x, 2), {one}, 1) == list{-2, 1, 0, 0});
  list const two{1, 2, 3, 4, 1, 2, 3, 4};
  double const c = std::cos(1.0), s = std::sin(1.0), c2 = std::cos(0.01), s2 = std::sin(0.01);   // theta^(-2j/4) = 1, 0.01
  auto const close = [](list const& a, list const& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]));
  };
  close(values_of_expr(t, rope<wide>(x, iota<row>(x)), {two}, 2), {1, 2, 3, 4, c - 3 * s, 2 * c2 - 4 * s2, 3 * c + s, 4 * c2 + 2 * s2});
  close(values_of_expr(t, rope<wide, interleaved_pairs>(x, iota<row>(x)), {two}, 2),
        {1, 2, 3, 4, c - 2 * s, 2 * c + s, 3 * c2 - 4 * s2, 4 * c2 + 3 * s2});
  close(values_of_expr(t, rope<wide>(x, iota<row>(x), {.theta = 10000, .rotary = 2}), {two}, 2), {1, 2, 3, 4, c - 2 * s, 2 * c + s, 3, 4});
}

TEST_CASE("operators with numbers, comparisons, booleans") {
  op_graph t;
  auto const x = t.real<row>();
  list const data{-2, 0, 3};
  CHECK(values_of_expr(t, 2 * x + 1, {data}, 3) == list{-3, 1, 7});
  CHECK(values_of_expr(t, 1 - x / 2, {data}, 3) == list{2, 1, -0.5});
  CHECK(values_of_expr(t, 6 / (x + 4), {data}, 3) == list{3, 1.5, 6 / 7.});
  CHECK(values_of_expr(t, select(x > 0 || x == -2, 1, 0), {data}, 3) == list{1, 0, 1});
  CHECK(values_of_expr(t, select(x >= 0 && x != 3, 1, 0), {data}, 3) == list{0, 1, 0});
  CHECK(values_of_expr(t, select(!(x < 0), x, -x), {data}, 3) == list{2, 0, 3});
  CHECK(values_of_expr(t, iota<row>(x) / 2, {data}, 3) == list{0, 0, 1});      // integers divide downwards
  CHECK(values_of_expr(t, (iota<row>(x) - 3) / 2, {data}, 3) == list{-2, -1, -1});
  CHECK(values_of_expr(t, modulo(iota<row>(x) - 1, 2), {data}, 3) == list{1, 0, 1});
  CHECK(values_of_expr(t, extent<row>(x), {data}, 3) == list{3});
  CHECK(values_of_expr(t, full<row>(x, 4), {data}, 3) == list{4, 4, 4});
}

TEST_CASE("normalisation") {
  op_graph t;
  auto const x = t.real<row, dep>();
  auto const r = values_of_expr(t, rms_normalize<dep>(x, 0), {{3, 4}}, 1);
  CHECK(r[0] == doctest::Approx(3 / std::sqrt(12.5)));
  CHECK(r[1] == doctest::Approx(4 / std::sqrt(12.5)));
  auto const l = values_of_expr(t, layer_normalize<dep>(x, 0), {{3, 4}}, 1);
  CHECK(l[0] == doctest::Approx(-1));
  CHECK(l[1] == doctest::Approx(1));
  CHECK(values_of_expr(t, layer_normalize<dep>(x, 1e-5), {{2, 2}}, 1) == list{0, 0});
}

TEST_CASE("random nodes have streams of their own, and dropout in a repeated expression is not shared") {
  op_graph t;
  auto const x = t.real<row>();
  auto const a = uniform(x), b = uniform(x);
  auto const c = normal<col, dep>(x);
  CHECK(a.id != b.id);
  CHECK(t.b[a.id].slot != t.b[b.id].slot);
  CHECK(t.b.shape(c.id) == axis_bits(t.b, axes<col, dep>{}));
  CHECK(dropout(x, 0.5).id != dropout(x, 0.5).id);
  CHECK(t.b[bernoulli(x, 0.25).id].value == 0.25);
}

TEST_CASE("reducing functions remember their caller's line") {
  op_graph t;
  auto const x = t.real<row, col>();
  int const here = __LINE__ + 1;
  CHECK(t.b[mean<row>(x).id].kind == op::div);
  bool found = false;
  for (int i = 0; i < t.b.size(); ++i) if (t.b[i].kind == op::sum) { CHECK(t.b[i].line == here); found = true; }
  CHECK(found);
}

TEST_CASE("a probe is an output with a name; naming two alike is a fault") {
  op_graph t;
  auto const x = t.real<row, col>();
  probe("a", exp(x));
  CHECK(t.b.error == fault::none);
  REQUIRE(t.b.outputs.size == 1);
  CHECK(t.b.outputs[0].role == output_role::probe);
  CHECK(t.b.outputs[0].rank == 2);
  probe("a", x);
  CHECK(t.b.error == fault::output_named_twice);
}
