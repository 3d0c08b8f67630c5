// The plans of the library's models: which loops over tokens they have, that their layers are gathered, and that every read finds its
// value made: forwards, backwards with recomputation, under solvers, streamed.
#include <doctest/doctest.h>

#include <string>

#include "dyadic/models.hpp"
#include "dyadic/passes/program.hpp"
#include "dyadic/plan/queries.hpp"
#include "support/plan_checker.hpp"

namespace {

using dyadic::builder;
using dyadic::solver_kind;
namespace models = dyadic::models;
using models::config;

int seq_of(dyadic::graph_view g) { return dyadic::axis_number<models::seq>(g); }

dyadic::extents sizes(dyadic::graph_view g, int length) {
  dyadic::extents e;
  for (int a = 0; a < g.naxes; ++a) {
    if (g.axes[a].rule != dyadic::extent_rule::bound) continue;
    dyadic::axis_role const r = g.axes[a].role;
    e.of[a] = r == dyadic::axis_role::pass ? 3 : 2;
  }
  e.of[seq_of(g)] = length;
  if (int const within = dyadic::axis_number<models::within>(g); within >= 0) e.of[within] = 3;
  if (int const batch = dyadic::axis_number<models::batch>(g); batch >= 0) e.of[batch] = 1;
  return e;
}

/// How the tokens are visited.
enum class visit { parallel, tiled, sequential };
visit visits(dyadic::graph_view g, dyadic::plan_view p) {
  int const s = seq_of(g);
  if (dyadic::is_parallel(p, s)) return visit::parallel;
  return dyadic::loops_over(p, s, dyadic::loop_kind::tiled) ? visit::tiled : visit::sequential;
}

void check(dyadic::graph_view g, dyadic::plan_view p) {
  for (int length : {1, 5, 7}) {
    std::string const v = test::violation(g, p, sizes(g, length));
    CHECK(v == "");
    if (!v.empty()) return;
  }
  for (int a = 0; a < g.naxes; ++a)
    if (g.axes[a].role == dyadic::axis_role::repeat || g.axes[a].role == dyadic::axis_role::pass)
      CHECK(dyadic::count_outside(g, p, a) == 0);
}

/// forward, backward: how tokens are visited in the plans of evaluation and training.
template <class Model> void check_model(visit forward, visit training, bool causal = true, solver_kind solver = solver_kind::none) {
  builder const traced = dyadic::trace<Model>();
  REQUIRE(traced.error == dyadic::fault::none);
  builder g = dyadic::simplify(traced.view());
  int const s = seq_of(g.view());
  CHECK(dyadic::causal_along(g.view(), s).ok == causal);
  if (solver != solver_kind::none) g = dyadic::simplify(dyadic::solve(g.view(), s, solver).view());
  else if (causal) {
    std::uint32_t keep = 0;
    for (int i = 0; i < traced.outputs.size; ++i) if (std::string(traced.outputs[i].name) != "loss") keep |= std::uint32_t{1} << i;
    builder const streamed = dyadic::simplify(dyadic::keep_outputs(traced.view(), keep).view());
    dyadic::order o;
    o.force = s;
    dyadic::plan const p = dyadic::arrange(streamed.view(), o);
    check(streamed.view(), p.view());
  }
  dyadic::plan const p = dyadic::arrange(g.view());
  check(g.view(), p.view());
  CHECK(visits(g.view(), p.view()) == forward);
  builder const joint = dyadic::simplify(dyadic::adjoint(g.view()).view()),
                kept = dyadic::cuts(joint.view(), dyadic::keep_policy::recompute_maps);
  for (builder const* b : {&joint, &kept}) {
    dyadic::plan const q = dyadic::arrange(b->view());
    check(b->view(), q.view());
    CHECK(visits(b->view(), q.view()) == training);
  }
}

constexpr config base{.vocabulary = 37, .width = 24, .layers = 4, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
template <class F> constexpr config with(F change) { config c = base; change(c); return c; }
constexpr config tied_readout = with([](config& c) { c.tied = true; });
constexpr config packed = with([](config& c) { c.packed = true; });
constexpr config official = with([](config& c) { c.heads = c.kv_heads = 3; });
constexpr models::recurrent_options official_block{.variant = models::recurrent_variant::official};
constexpr models::depth_options every_second{.stride = 2};
constexpr models::depth_options looped{.stride = 2, .loops = 2, .anchor = models::depth_anchor::layer};
constexpr models::gru_memory_options memory(models::memory_scope s) { return {.scope = s, .heads = 3, .steps = 2, .chunk = 4}; }
constexpr models::latent_options layerwise{.variant = models::latent_variant::layerwise, .gate_channels = 12};
constexpr models::symbol_config symbols{.inputs = 5, .hidden = 16, .classes = 3};
using models::memory_scope;
constexpr visit parallel = visit::parallel, tiled = visit::tiled, sequential = visit::sequential;

}  // namespace

TEST_CASE("plans of models: parallel over tokens") {
  SUBCASE("transformer") { check_model<models::transformer<base>>(parallel, parallel); }
  SUBCASE("packed") { check_model<models::transformer<packed>>(parallel, parallel); }
  SUBCASE("simple attention") { check_model<models::simple_attention<tied_readout>>(parallel, parallel); }
  SUBCASE("depth attention") { check_model<models::depth_attention<base, every_second>>(parallel, parallel); }
  SUBCASE("depth attention, looped") { check_model<models::depth_attention<base, looped>>(parallel, parallel); }
  SUBCASE("looped transformer") { check_model<models::looped_transformer<base>>(parallel, parallel); }
  SUBCASE("gru memory of the prefix") { check_model<models::gru_memory<base, memory(memory_scope::prefix)>>(parallel, parallel); }
  SUBCASE("gru memory of chunks") { check_model<models::gru_memory<base, memory(memory_scope::chunked)>>(parallel, parallel); }
  SUBCASE("gru memory, leaky") {
    check_model<models::gru_memory<base, memory(memory_scope::whole_sequence_leaky)>>(parallel, parallel, false);
  }
  SUBCASE("recursive lstm") { check_model<models::parallel_recursive_lstm<symbols>>(parallel, parallel); }
}

TEST_CASE("plans of models: a tiled token loop inside the layers") {
  SUBCASE("modern") { check_model<models::recurrent_transformer<base>>(tiled, tiled); }
  SUBCASE("official") { check_model<models::recurrent_transformer<official, official_block>>(tiled, tiled); }
}

TEST_CASE("plans of models: sequential, with a backward that takes tiles") {
  SUBCASE("full bandwidth") { check_model<models::full_bandwidth<base>>(sequential, tiled); }
  SUBCASE("latent recurrent") { check_model<models::latent_recurrent<base>>(sequential, tiled); }
  SUBCASE("latent recurrent, layerwise") { check_model<models::latent_recurrent<base, layerwise>>(sequential, tiled); }
  SUBCASE("lstm") { check_model<models::lstm<symbols>>(sequential, sequential); }
  SUBCASE("gru") { check_model<models::gru<symbols>>(sequential, sequential); }
}

TEST_CASE("plans of models: parallel under a solver") {
  SUBCASE("full bandwidth") { check_model<models::full_bandwidth<base>>(parallel, parallel, true, solver_kind::jacobi); }
  SUBCASE("latent, jacobi") { check_model<models::latent_recurrent<base>>(parallel, parallel, true, solver_kind::jacobi); }
  SUBCASE("latent, interleaved") { check_model<models::latent_recurrent<base>>(parallel, parallel, true, solver_kind::interleaved); }
  SUBCASE("layerwise, interleaved") {
    check_model<models::latent_recurrent<base, layerwise>>(parallel, parallel, true, solver_kind::interleaved);
  }
}
