// The pass `rows`: interleaved training on the active rows of each pass gives the same gradients (sums over rows are blocked otherwise, so
// to rounding) for 2 / (S + 1) of the work.
#include <doctest/doctest.h>

#include "dyadic/models/full_bandwidth.hpp"
#include "dyadic/models/latent_recurrent.hpp"
#include "dyadic/passes/cost.hpp"
#include "support/machine.hpp"

namespace {

using namespace dyadic;

constexpr models::config size{.vocabulary = 17, .width = 12, .layers = 2, .heads = 2, .kv_heads = 1, .head_dim = 6, .hidden = 20};
constexpr models::latent_options layerwise{.variant = models::latent_variant::layerwise, .gate_channels = 6};

/// 1 / tokens on the rows that a pass visits.
std::vector<double> visited(test::lengths const& n) {
  std::vector<double> w;
  for (std::int64_t p = 0; p < n.passes; ++p)
    for (std::int64_t i = 0; i < n.rows * n.positions; ++i)
      w.push_back(p == 0 || (i % n.positions) % n.subsets == p - 1 ? 1.0 / static_cast<double>(n.rows * n.positions) : 0.0);
  return w;
}

plan on_all_rows(graph_view g) { return arrange(g); }

/// Products of contractions, on the rows that each statement computes (subsets = 0: on all).
double products(graph_view g, plan_view p, extents const& e, int rows, int passes, std::int64_t subsets) {
  std::int64_t const length = e.of[rows], count = e.of[passes];
  std::int64_t active = length;                                  // pass 0
  for (std::int64_t t = 0; subsets > 0 && t < length; ++t) active += t % subsets < count - 1;
  double const share = subsets > 0 ? static_cast<double>(active) / static_cast<double>(length * count) : 1.0;
  double sum = 0;
  for (int i = 0; i < p.size; ++i) {
    if (p[i].kind != stmt::run || g[p[i].id].kind != op::contract) continue;
    node const& x = g[p[i].id];
    axis_set const walked = x.axes | g[x.arg[0]].axes | g[x.arg[1]].axes;
    double const all = static_cast<double>(points(e, walked));
    // A sum over rows of something that is zero at the others visits the active ones.
    bool const summed = !(x.axes & bit_of(rows)) && (walked & bit_of(rows)) && (walked & bit_of(passes));
    sum += p[i].active_rows || summed ? all * share : all;
  }
  return sum;
}

void check(graph_view traced, std::int64_t subsets) {
  test::lengths const n{2, 13, subsets + 1, subsets};
  test::machine restricted(test::trained(traced, solver_kind::interleaved), n);
  builder graph = test::trained(traced, solver_kind::interleaved);
  plan everywhere = on_all_rows(graph.view());
  test::machine all(static_cast<builder&&>(graph), static_cast<plan&&>(everywhere), n);
  auto const data = test::sequence_for(restricted.graph(), n);
  for (auto* m : {&restricted, &all}) {
    test::move_parameters(m->parameters(), 3);
    m->set(data);
  }
  auto const a = restricted.gradients(visited(n)), b = all.gradients(visited(n));
  REQUIRE(a.size() == b.size());
  double norm = 0;
  for (auto const& entry : a) {
    std::string const& name = entry.first;   // clang 14 captures no structured binding
    auto const& x = entry.second;
    CHECK_MESSAGE(test::apart(x, b.at(name)) < 1e-13, "gradient of " << name << " differs by " << test::apart(x, b.at(name)));
    for (double v : x) norm += v * v;
  }
  CHECK(norm > 0);

  graph_view const g = restricted.graph();
  int const rows = axis_number<models::seq>(g), passes = axis_number<pass>(g);
  int with_rows = 0, kept_whole = 0;
  for (int i = 0; i < restricted.plan().size; ++i) {
    stmt const& s = restricted.plan()[i];
    axis_set const both = bit_of(rows) | bit_of(passes);
    if (s.kind != stmt::run || (g[s.id].axes & both) != both) continue;
    ++with_rows;
    kept_whole += !s.active_rows;
  }
  CHECK(with_rows > 50);
  CHECK(kept_whole * 5 < with_rows);
  extents const e = test::bound_to(g, n);
  double const share = products(g, restricted.plan(), e, rows, passes, subsets) / products(all.graph(), all.plan(), e, rows, passes, 0);
  INFO("contractions: " << share << " of all rows, ideal " << 2.0 / static_cast<double>(subsets + 1));
  CHECK(share < 1.15 * 2.0 / static_cast<double>(subsets + 1));
}

}  // namespace

TEST_CASE("rows: the shared Latent Recurrent Transformer") {
  for (std::int64_t subsets : {2, 3}) check(traced<models::latent_recurrent<size>>::graph, subsets);
}
TEST_CASE("rows: the layerwise Latent Recurrent Transformer") { check(traced<models::latent_recurrent<size, layerwise>>::graph, 3); }
TEST_CASE("rows: a full-bandwidth stack") { check(traced<models::full_bandwidth<size>>::graph, 2); }
