// Backward keeps what a budget of bytes holds: the same gradients, room within the budget, and more room means less work again.
#include "dyadic/passes/budget.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "dyadic/models/transformer.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/systems.hpp"

using namespace dyadic;
using models::batch;
using models::seq;

namespace {

/// Every output of a training graph, on its fused plan.
std::vector<double> outputs(graph_view g, test::lengths const& n) {
  plan const p = test::planned(g, true);
  extents const e = test::bound_to(g, n);
  cpu::options o;
  o.poison = true;
  runner<double> run(g, p.view(), e, o);
  auto parameters = shared<parameter_set<double>>::make(g, e);
  initialise(*parameters, seed{1});
  test::move_parameters(*parameters, 5);
  run.bind_parameters(parameters);
  if (n.subsets > 0) run.engine().set_active(n.subsets);
  for (auto const& v : test::sequence_for(g, n)) if (run.has_input(v.first)) run.set(v.first, std::span<double const>(v.second));
  for (double& w : run.cotangent("loss")) w = 0.5;
  run.run();
  std::vector<double> all;
  for (int k = 0; k < g.noutputs; ++k) {
    auto const v = run.engine().output(k);
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}
bool same_bits(std::vector<double> const& x, std::vector<double> const& y) {
  return x.size() == y.size() && !x.empty() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}
/// A product that is computed again may be another matrix: of all positions, or of one.
bool close(std::vector<double> const& x, std::vector<double> const& y) {
  bool same = x.size() == y.size() && !x.empty();
  for (std::size_t i = 0; same && i < x.size(); ++i) same = std::fabs(x[i] - y[i]) <= 1e-12 * (1 + std::fabs(y[i]));
  return same;
}
std::int64_t arena_of(graph_view g, extents const& e) {
  plan const p = test::planned(g, true);
  return plan_memory(g, p.view(), e).arena;
}
double flops_of(graph_view g, extents const& e) {
  plan const p = test::planned(g);
  return measure_cost(g, p.view(), e).flops;
}

using small = models::transformer<models::config{.vocabulary = 24, .width = 16, .layers = 3, .heads = 2, .hidden = 40}>;
constexpr auto bound_extents = bind(batch{2}, seq{16});
constexpr std::int64_t budget = 150000;
template <class Keep> std::int64_t arena_of() {
  using program = training<small, exact, false, Keep>;
  return plan_memory(program::graph, detail::fused_plan<detail::usual_plan<program>>::view,
                     extents_of(program::graph, join(small::extents(), bound_extents))).arena * 4;
}

}  // namespace

TEST_CASE("a budget: gradients stay, room stays within it, and the work shrinks with it") {
  int chosen = 0;
  for (auto const& t : test::trainings()) {
    std::string const name = t.name();
    CAPTURE(name);
    auto const n = t.bound(2, 12);
    builder const form = test::evaluated(t.of->traced, t.solver);
    builder const joint = simplify(adjoint(form.view()).view());
    extents const e = test::bound_to(joint.view(), n);
    builder const all = cuts(joint.view(), keep_policy::keep_all), maps = cuts(joint.view(), keep_policy::recompute_maps),
                  boundary = cuts(joint.view(), keep_policy::boundary);
    auto const truth = outputs(all.view(), n);
    CHECK(same_bits(truth, outputs(maps.view(), n)));
    CHECK(close(outputs(boundary.view(), n), truth));
    std::int64_t const most = arena_of(all.view(), e), least = (std::min)({most, arena_of(maps.view(), e), arena_of(boundary.view(), e)});
    double work = HUGE_VAL;
    std::int64_t room = 0;
    for (int step = 0; step <= 4; ++step) {
      std::int64_t const allowed = least + (most - least) * step / 4;
      CAPTURE(step);
      budgeted_cuts const c = cuts_within(joint.view(), e, allowed);
      CHECK(c.arena <= allowed);
      CHECK(c.arena == arena_of(c.graph.view(), e));
      CHECK(c.arena >= room);
      CHECK(c.kept <= c.candidates);
      double const now = flops_of(c.graph.view(), e);
      CHECK(now <= work);
      work = now;
      room = c.arena;
      chosen += c.kept > 0;
      if (step % 2) CHECK(close(outputs(c.graph.view(), n), truth));
    }
    CHECK(work == flops_of(all.view(), e));
    bool refused = false;
    try {
      cuts_within(joint.view(), e, least - 1);
    } catch (error const& x) {
      refused = x.kind() == error_kind::argument && std::string(x.what()).find(std::to_string(least)) != std::string::npos;
    }
    CHECK(refused);
  }
  CHECK(chosen > 20);
}

TEST_CASE("a budget as a type: between the policies it stands between, and a trainer learns the same") {
  using bytes = keeping::bytes<budget, bound_extents>;
  std::int64_t const all = arena_of<keeping::all>(), some = arena_of<bytes>(), least = arena_of<keeping::boundary>();
  CAPTURE(all);
  CAPTURE(least);
  CHECK(some <= budget);
  CHECK(least < some);
  CHECK(some < all);
  CHECK(arena_of<keeping::bytes<(1 << 30), bound_extents>>() == all);
  std::vector<int> tokens, targets;
  for (int i = 0; i < 32; ++i) { tokens.push_back(i * i % 24); targets.push_back((i + 1) * (i + 1) % 24); }
  auto learn = [&](auto which) {
    auto w = init<small>(seed{1});
    train::trainer<small, float, exact, decltype(which)> trainer(w, exec::serial{}, train::adamw{.rate = 1e-2}, batch{2}, seq{16});
    for (int i = 0; i < 3; ++i) trainer.step(train::example(std::span<int const>(tokens), std::span<int const>(targets)));
    return w->values;
  };
  auto const usual = learn(keeping::maps{});
  CHECK(learn(bytes{}) == usual);
  CHECK(learn(keeping::boundary{}) == usual);
}
