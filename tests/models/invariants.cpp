// Identities that tie the definitions together: solvers at enough passes against the recurrence, what passes are exact where, and that the
// future moves nothing.
#include <doctest/doctest.h>

#include "dyadic/models.hpp"
#include "support/machine.hpp"

namespace {

using namespace dyadic;
using models::config;
using test::apart;
using test::lengths;
using test::machine;

constexpr std::int64_t rows = 2, positions = 9;
constexpr double rounding = 1e-10;

/// A model's evaluation with parameters and a sequence that only the seeds decide.
struct ready : machine {
  ready(graph_view traced, solver_kind solver, lengths const& n) : machine(test::evaluated(traced, solver), n) {
    test::move_parameters(parameters(), 3);
    set(test::sequence_for(traced, n));
  }
  explicit ready(graph_view traced) : ready(traced, solver_kind::none, {rows, positions}) {}
};

/// [row, position, class] at positions [begin, end).
std::vector<double> between(std::vector<double> const& all, std::int64_t begin, std::int64_t end) {
  std::int64_t const n = static_cast<std::int64_t>(all.size()) / (rows * positions);
  std::vector<double> r;
  for (std::int64_t row = 0; row < rows; ++row)
    r.insert(r.end(), all.begin() + (row * positions + begin) * n, all.begin() + (row * positions + end) * n);
  return r;
}

constexpr config base{.vocabulary = 37, .width = 24, .layers = 3, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
template <class F> constexpr config with(F change) { config c = base; change(c); return c; }
constexpr config window = with([](config& c) { c.window = 5; c.packed = true; });
constexpr config tied_readout = with([](config& c) { c.tied = true; });
constexpr config official = with([](config& c) { c.heads = c.kv_heads = 3; });
constexpr config two_layers = with([](config& c) { c.layers = 2; });
constexpr models::latent_options layerwise{.variant = models::latent_variant::layerwise, .gate_channels = 12};
constexpr models::recurrent_options official_block{.variant = models::recurrent_variant::official};
constexpr models::depth_options looped(models::depth_anchor a) { return {.stride = 2, .loops = 2, .anchor = a}; }
constexpr models::gru_memory_options memory_of(models::memory_scope s) { return {.scope = s, .heads = 3, .steps = 2, .chunk = 4}; }
constexpr models::symbol_config symbols{.inputs = 5, .hidden = 16, .classes = 3};

using latent = models::latent_recurrent<base>;
using latent_layerwise = models::latent_recurrent<base, layerwise>;
using feedback = models::full_bandwidth<base>;

void check_latent(graph_view traced) {
  auto const sequential = ready(traced).result("logits");
  {
    ready all(traced, solver_kind::interleaved, {rows, positions, positions + 1, positions});
    all.run();
    CHECK(apart(all.at_last_visit("logits"), sequential) < rounding);
  }
  {
    ready two(traced, solver_kind::interleaved, {rows, positions, 3, 2});
    two.run();
    CHECK(apart(two.at_last_visit("logits"), sequential) > rounding);
  }
  ready one(traced, solver_kind::interleaved, {rows, positions, 2, 1}), refined(traced, solver_kind::jacobi, {rows, positions, 2});
  CHECK(apart(one.result("loss"), refined.result("loss")) < rounding);
  ready passes(traced, solver_kind::jacobi, {rows, positions, positions});
  passes.run();
  CHECK(apart(passes.value("logits", positions - 1), sequential) < rounding);
}

/// How much later tokens move the logits of earlier positions: at most, and at the last position.
struct moved { double before, after; };
moved by_the_future(graph_view traced, solver_kind solver = solver_kind::none, std::int64_t passes = 1, std::int64_t subsets = 0) {
  constexpr std::int64_t cut = 6;
  lengths const n{rows, positions, passes, subsets};
  ready m(traced, solver, n);
  m.run();
  auto const before = m.at_last_visit("logits");
  auto inputs = test::sequence_for(traced, n);
  auto const other = test::sequence_for(traced, n, 2);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t t = cut; t < positions; ++t) {
      auto const i = static_cast<std::size_t>(row * positions + t);
      inputs["tokens"][i] = other.at("tokens")[i];
    }
  m.set(inputs);
  m.run();
  auto const after = m.at_last_visit("logits");
  return {apart(between(before, 0, cut), between(after, 0, cut)), apart(between(before, cut, positions), between(after, cut, positions))};
}
void check_causal(graph_view traced, solver_kind solver = solver_kind::none, std::int64_t passes = 1, std::int64_t subsets = 0) {
  moved const m = by_the_future(traced, solver, passes, subsets);
  CHECK(m.before < 1e-13);
  CHECK(m.after > 1e-6);
}

}  // namespace

TEST_CASE("invariants: interleaved passes of a latent recurrent transformer against the sequential evaluation") {
  SUBCASE("shared") { check_latent(traced<latent>::graph); }
  SUBCASE("layerwise") { check_latent(traced<latent_layerwise>::graph); }
}

TEST_CASE("invariants: pass k of a full-bandwidth transformer is exact at positions before k") {
  auto const sequential = ready(traced<feedback>::graph).result("logits");
  ready passes(traced<feedback>::graph, solver_kind::jacobi, {rows, positions, positions});
  passes.run();
  CHECK(apart(passes.value("logits", positions - 1), sequential) < rounding);
  for (std::int64_t k = 1; k < positions; ++k) {
    auto const logits = passes.value("logits", k - 1);
    CHECK(apart(between(logits, 0, k), between(sequential, 0, k)) < rounding);
    if (k > 1) CHECK(apart(between(logits, k, k + 1), between(sequential, k, k + 1)) > 1e-6);
  }
}

TEST_CASE("invariants: the anchors of a looped depth memory differ") {
  using models::depth_anchor;
  auto const layer = ready(traced<models::depth_attention<base, looped(depth_anchor::layer)>>::graph).result("logits");
  auto const once = ready(traced<models::depth_attention<base, looped(depth_anchor::layer_once)>>::graph).result("logits");
  auto const execution = ready(traced<models::depth_attention<base, looped(depth_anchor::execution)>>::graph).result("logits");
  CHECK(apart(layer, once) > rounding);
  CHECK(apart(layer, execution) > rounding);
  CHECK(apart(once, execution) > rounding);
}

TEST_CASE("invariants: later tokens leave earlier logits alone") {
  using models::memory_scope;
  SUBCASE("transformer") { check_causal(traced<models::transformer<window>>::graph); }
  SUBCASE("simple attention") { check_causal(traced<models::simple_attention<tied_readout>>::graph); }
  SUBCASE("recurrent, modern") { check_causal(traced<models::recurrent_transformer<base>>::graph); }
  SUBCASE("recurrent, official") { check_causal(traced<models::recurrent_transformer<official, official_block>>::graph); }
  SUBCASE("looped depth attention") { check_causal(traced<models::depth_attention<base, looped(models::depth_anchor::layer)>>::graph); }
  SUBCASE("latent") { check_causal(traced<latent>::graph); }
  SUBCASE("latent, two subsets") { check_causal(traced<latent>::graph, solver_kind::interleaved, 3, 2); }
  SUBCASE("latent, two refinements") { check_causal(traced<latent_layerwise>::graph, solver_kind::jacobi, 3); }
  SUBCASE("full bandwidth") { check_causal(traced<feedback>::graph); }
  SUBCASE("full bandwidth, three passes") { check_causal(traced<feedback>::graph, solver_kind::jacobi, 3); }
  SUBCASE("gru memory of the prefix") { check_causal(traced<models::gru_memory<two_layers, memory_of(memory_scope::prefix)>>::graph); }
  SUBCASE("gru memory of chunks") { check_causal(traced<models::gru_memory<two_layers, memory_of(memory_scope::chunked)>>::graph); }
  SUBCASE("recursive lstm") { check_causal(traced<models::parallel_recursive_lstm<symbols>>::graph); }
  SUBCASE("lstm") { check_causal(traced<models::lstm<symbols>>::graph); }
  SUBCASE("gru") { check_causal(traced<models::gru<symbols>>::graph); }
  SUBCASE("gru, haiku") { check_causal(traced<models::gru<symbols, models::gru_form::haiku>>::graph); }
  SUBCASE("rnn") { check_causal(traced<models::rnn<symbols>>::graph); }
  SUBCASE("looped transformer") { check_causal(traced<models::looped_transformer<base>>::graph); }
}

TEST_CASE("invariants: the published GRU memory reads its own targets") {
  CHECK(by_the_future(traced<models::gru_memory<two_layers, memory_of(models::memory_scope::whole_sequence_leaky)>>::graph).before > 1e-6);
}
