// What backward keeps: copies change no bit of a gradient, and less is kept.
#include "dyadic/passes/cuts.hpp"

#include <doctest/doctest.h>

#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/passes/cycles.hpp"
#include "dyadic/passes/memory.hpp"
#include "dyadic/passes/program.hpp"
#include "passes/hand.hpp"

using namespace dyadic;
using namespace dyadic::models;

namespace {

constexpr config tiny{.vocabulary = 5, .width = 4, .layers = 2, .heads = 2, .kv_heads = 1, .hidden = 3};

template <class M, keep_policy K> using trained = training<M, exact, false, keeping::by_policy<K>>;

template <class M> extents sizes(graph_view g, std::int64_t b, std::int64_t t) {
  return extents_of(g, join(M::extents(), bind(batch{b}, seq{t})));
}

void same_bits(graph_view x, graph_view y, extents const& e) {
  auto const u = testing::outputs_of(x, e), v = testing::outputs_of(y, e);
  REQUIRE(u.size() == v.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    REQUIRE(u[k].size() == v[k].size());
    for (std::size_t j = 0; j < u[k].size(); ++j) CHECK(u[k][j] == v[k][j]);
  }
}
template <class M> void changes_no_bit() {
  graph_view const all = trained<M, keep_policy::keep_all>::graph, maps = trained<M, keep_policy::recompute_maps>::graph,
                   least = trained<M, keep_policy::boundary>::graph;
  extents const e = sizes<M>(all, 1, 3);
  same_bits(all, maps, e);
  same_bits(all, least, e);
}
int copies(graph_view g) {
  int n = 0;
  for (int i = 0; i < g.size; ++i) n += g[i].distinct;
  return n;
}
template <class P> std::int64_t alive(std::int64_t t) {
  extents const e = sizes<typename P::model>(P::graph, 2, t);
  memory_request q;
  q.attempts = 0;
  return plan_memory(P::graph, P::plan, e, q).live_peak;
}
double kept_elements(graph_view g, extents const& e) {
  auto const s = saved(g);
  double n = 0;
  for (int k = 0; k < s.size; ++k) n += static_cast<double>(points(e, g[s[k]].axes));
  return n;
}
template <class M> void keeps_less(char const* name) {
  constexpr graph_view const& all = trained<M, keep_policy::keep_all>::graph;
  extents const e = sizes<M>(all, 2, 64);
  double const a = kept_elements(all, e), m = kept_elements(trained<M, keep_policy::recompute_maps>::graph, e),
               b = kept_elements(trained<M, keep_policy::boundary>::graph, e);
  std::int64_t const pa = alive<trained<M, keep_policy::keep_all>>(64), pm = alive<trained<M, keep_policy::recompute_maps>>(64),
                     pb = alive<trained<M, keep_policy::boundary>>(64);
  INFO(std::string(name), ": kept ", a, " ", m, " ", b, "; alive ", pa, " ", pm, " ", pb, "; copies ",
       copies(trained<M, keep_policy::recompute_maps>::graph), " ", copies(trained<M, keep_policy::boundary>::graph));
  CHECK(copies(all) == 0);
  CHECK(m < a);
  CHECK(b < m);
  CHECK(pm < pa);
  CHECK(pb < pm);
}

constexpr config deep{.vocabulary = 16, .width = 16, .layers = 6, .heads = 2, .hidden = 40};

}  // namespace

TEST_CASE("copies change no bit") {
  SUBCASE("transformer") { changes_no_bit<transformer<tiny>>(); }
  SUBCASE("recurrent transformer") { changes_no_bit<recurrent_transformer<tiny>>(); }
}
TEST_CASE("what is computed again need not be kept") {
  keeps_less<transformer<deep>>("transformer");
  keeps_less<recurrent_transformer<deep>>("recurrent transformer");
}
TEST_CASE("folds, leaves and states are never copied") {
  graph_view const g = trained<recurrent_transformer<tiny>, keep_policy::boundary>::graph;
  for (int i = 0; i < g.size; ++i)
    if (g[i].distinct) CHECK((traits(g[i].kind).kind != op_class::fold && g[i].kind != op::param && g[i].kind != op::input));
}
TEST_CASE("a layer's output breaks the recurrent transformer's token loop") {
  using P = evaluation<recurrent_transformer<tiny>>;
  int const s = axis_number<seq>(P::graph);
  auto const r = cycle_breakers(P::graph, P::plan, s);
  REQUIRE(r.size > 0);
  // z is what the next layer reads.
  int z = -1;
  for (int i = 0; i < P::graph.size; ++i)
    if (P::graph[i].kind == op::prev && P::graph.axes[P::graph[i].axis].role == axis_role::repeat) z = P::graph[i].arg[0];
  bool found = false;
  for (int k = 0; k < r.size; ++k) {
    found = found || r[k] == z;
    CHECK(breaks_cycle(P::graph, P::plan, s, r[k]));
  }
  CHECK(found);
  for (int i = 0; i < P::graph.size; ++i) if (P::graph[i].kind == op::attend) CHECK(breaks_cycle(P::graph, P::plan, s, i));
}
