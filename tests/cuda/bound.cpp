// A training program on the device beside the CPU's: the same values, gradients and random numbers; and errors that name what is wrong.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "cuda/bound_model.hpp"
#include "dyadic/cpu.hpp"
#include "dyadic/exec/runner.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {
double apart(std::vector<float> const& a, std::vector<double> const& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(static_cast<double>(a[i]) - b[i]) / (1 + std::fabs(b[i])));
  return most;
}
}  // namespace

TEST_CASE("a training program on the device equals the CPU's") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> real(-2, 2);
  for (int n : {1, 19}) {
    std::vector<float> x;
    std::vector<int> targets;
    for (int i = 0; i < n * 37; ++i) x.push_back(real(random));
    for (int i = 0; i < n; ++i) targets.push_back(i % 5 == 4 ? -1 : i * 7 % 37);
    bound<training<classified_rows>, double> cpu(bind(rows{n}, width{37}));
    weights<classified_rows, double> w;
    std::map<std::string, std::vector<float>> parameters;
    w->each([&](std::string const& name, leaf const&, double* to, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        parameters[name].push_back(real(random));
        to[i] = static_cast<double>(parameters[name].back());
      }
    });
    cpu.bind_parameters(w.shared());
    cpu.set("x", std::span<float const>(x));
    cpu.set("target", std::span<int const>(targets));
    for (double& v : cpu.cotangent("loss")) v = 1;
    cpu.engine().set_random(5, 2, true);
    cpu.run();
    device_training const device = train_on_device(parameters, x, targets);
    CHECK(device.violations == "");
    CHECK(apart(device.y, cpu.output("y")) <= 2e-6);
    CHECK(apart(device.loss, cpu.output("loss")) <= 2e-6);
    CHECK(device.gradients.size() == 1);
    for (auto const& [name, gradient] : device.gradients) CHECK(apart(gradient, cpu.gradient(name)) <= 4e-6);   // sums of rows
    int dropped = 0;
    for (float v : device.y) dropped += v == 0;
    CHECK(dropped > 0);
    CHECK(dropped < static_cast<int>(device.y.size()) / 2);
  }
}
TEST_CASE("wrong calls are told what is wrong") {
  std::vector<std::string> const told = errors_of_wrong_calls();
  REQUIRE(told.size() == 7);
  auto const says = [&](std::size_t i, char const* words) {
    CAPTURE(told[i]);
    CHECK(told[i].find(words) != std::string::npos);
  };
  says(0, "no input called z");
  says(1, "input x has 74 elements, given 3");
  says(2, "index 37 is outside axis");
  says(3, "does not differentiate a result called y");
  says(4, "no result called z");
  says(5, "no gradient of norm.scale");
  says(6, "is bound to 36, but the model fixes another extent");
}
