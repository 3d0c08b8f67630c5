// Gradients of every system, under every solver that applies: against differences, and nowhere zero that should not be.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/systems.hpp"

namespace {

using namespace dyadic;
using test::machine;

/// A softmax ignores what is added to all scores: a bias of keys that are not rotated moves nothing.
bool moves_nothing(std::string const& parameter) { return parameter == "memory.observe.k_proj.bias"; }

void check(test::training_of const& t) {
  test::lengths const n = t.bound(2, 6);
  machine forward(test::evaluated(t.of->traced, t.solver), n), training(test::trained(t.of->traced, t.solver), n);
  auto const inputs = test::sequence_for(t.of->traced, n);
  for (machine* m : {&forward, &training}) {
    test::move_parameters(m->parameters(), 5);
    m->set(inputs);
  }
  std::mt19937_64 next(11);
  auto uniform = [&] { return static_cast<double>(next() >> 11) * 0x1p-53; };
  std::vector<double> weight;
  std::size_t const tokens = static_cast<std::size_t>(n.rows * n.positions);
  for (std::size_t i = 0; i < training.losses(); ++i) {
    auto const pass = static_cast<std::int64_t>(i / tokens), position = static_cast<std::int64_t>(i) % n.positions;
    bool const visited = n.subsets == 0 || pass == 0 || position % n.subsets == pass - 1;
    weight.push_back(visited ? uniform() - 0.5 : 0);
  }
  auto const gradient = training.gradients(weight);
  auto loss = [&] {
    auto const l = forward.result("loss");
    double sum = 0;
    for (std::size_t i = 0; i < l.size(); ++i) if (weight[i] != 0) sum += l[i] * weight[i];
    return sum;
  };
  std::size_t parameters = 0;
  forward.parameters().each([&](std::string const& name, leaf const&, double* x, std::int64_t size) {
    INFO(name);
    ++parameters;
    auto const found = gradient.find(name);
    REQUIRE(found != gradient.end());
    auto const& g = found->second;
    REQUIRE(static_cast<std::int64_t>(g.size()) == size);
    double largest = 0;
    for (double v : g) largest = std::fmax(largest, std::fabs(v));
    if (moves_nothing(name)) CHECK(largest < 1e-12);
    else CHECK(largest > 1e-7);
    for (int k = 0; k < 2; ++k) {
      auto const i = static_cast<std::size_t>(uniform() * static_cast<double>(size));
      double const was = x[i];
      auto slope = [&](double h) {
        x[i] = was + h;
        double const up = loss();
        x[i] = was - h;
        double const down = loss();
        x[i] = was;
        return (up - down) / (2 * h);
      };
      double const h = 2e-4, expected = (4 * slope(h / 2) - slope(h)) / 3;
      CHECK(std::fabs(g[i] - expected) < 1e-6 * std::fmax(1.0, std::fabs(expected)));
    }
  });
  CHECK(parameters == gradient.size());
}

}  // namespace

TEST_CASE("gradients of systems against differences") {
  for (test::training_of const& t : test::trainings()) {
    INFO(t.name());
    check(t);
  }
}

TEST_CASE("gradients of systems: at one pass nothing is fed back") {
  graph_view const g = test::system_called("full bandwidth").traced;
  test::lengths const n{2, 6, 1};
  machine m(test::trained(g, solver_kind::jacobi), n);
  test::move_parameters(m.parameters(), 5);
  m.set(test::sequence_for(g, n));
  for (auto const& entry : m.gradients(std::vector<double>(m.losses(), 1.0))) {
    std::string const& name = entry.first;   // clang 14 captures no structured binding
    auto const& gradient = entry.second;
    INFO(name);
    double largest = 0;
    for (double v : gradient) largest = std::fmax(largest, std::fabs(v));
    bool const only_of_the_state = name.rfind("feedback.", 0) == 0 && name != "feedback.norm.weight";   // the stack has that norm too
    if (only_of_the_state) CHECK(largest == 0);
    else CHECK(largest > 1e-7);
  }
}
