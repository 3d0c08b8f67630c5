// Every op's derivative against differences. One line a case; the last test asserts that no op was forgotten.
#include <doctest/doctest.h>

#include <string>

#include "support/gradient_check.hpp"
#include "support/op_cases.hpp"

using namespace dyadic;
using namespace dyadic::testing;

TEST_CASE("derivatives agree with differences") {
  for (gradient_case const& c : op_cases) {
    for (int n : {0, 1, 2, 3, 7}) {
      CAPTURE(std::string(c.name));
      CAPTURE(n);
      op_graph t;
      c.build(t);
      REQUIRE(t.b.error == fault::none);
      gradient_report const r = check_gradient(t, n, 17u + static_cast<unsigned>(n));
      CHECK_FALSE(r.failed);
      CHECK(r.error <= 1e-7);
      if (n == 7 && std::string(c.name) != "pick with a substitute") CHECK((r.smallest_norm > 1e-6) == !c.zero);
      if (n == 0 && std::string(c.name) == "pick with a substitute") CHECK(r.norm > 1e-6);
      if (n == 0 && std::string(c.name) == "if_empty") CHECK(r.norm > 1e-6);
    }
  }
}

TEST_CASE("every op but the leaves and those of recurrences has a derivative case") {
  bool seen[op_count]{};
  for (gradient_case const& c : op_cases) {
    op_graph t;
    c.build(t);
    for (int i = 0; i < t.b.size(); ++i) seen[static_cast<int>(t.b[i].kind)] = true;
  }
  for (int o = 0; o < op_count; ++o) {
    op_class const k = traits(static_cast<op>(o)).kind;
    if (static_cast<op>(o) == op::stop_gradient) continue;   // differences disagree with it by intent: see below
    if (k == op_class::leaf || k == op_class::far || k == op_class::pair || k == op_class::fold) continue;
    CAPTURE(op_name(static_cast<op>(o)));
    CHECK(seen[o]);
  }
}

TEST_CASE("at ties and ends the documented subgradient is taken") {
  auto const derivative = [](auto build, double x, double y) {   // d build(x, y) / d x, d y
    op_graph t;
    auto const a = t.real<>(), b = t.real<>();
    t.result(build(a, b));
    adjoint_request request;
    request.outputs = 1; request.inputs = true;
    builder const joint = adjoint(t.b.view(), request);
    reference_evaluator e(joint.view(), std::vector<std::int64_t>(static_cast<std::size_t>(joint.axes.size), 1), {{x}, {y}, {1.0}});
    std::pair<double, double> r;
    for (int o = 0; o < joint.outputs.size; ++o) {
      if (joint.outputs[o].role != output_role::gradient) continue;
      (joint.outputs[o].leaf == 0 ? r.first : r.second) = e.at(joint.outputs[o].node, {});
    }
    return r;
  };
  using both_of = std::pair<double, double>;
  CHECK(derivative([](auto a, auto b) { return maximum(a, b); }, 1, 1) == both_of{0.5, 0.5});
  CHECK(derivative([](auto a, auto b) { return minimum(a, b); }, 1, 1) == both_of{0.5, 0.5});
  CHECK(derivative([](auto a, auto b) { return minimum(a, b); }, 1, 2) == both_of{1, 0});
  CHECK(derivative([](auto a, auto b) { return relu(a) + abs(b); }, 0, 0) == both_of{0, 0});
  CHECK(derivative([](auto a, auto b) { return clamp(a, -1, 1) + clamp(b, -1, 1); }, 1, -1) == both_of{1, 1});
  CHECK(derivative([](auto a, auto b) { return clamp(a, b, real(a, 1)); }, -2, -1) == both_of{0, 1});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, 0, 2) == both_of{0, 0});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, 0, 1) == both_of{1, 0});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, 0, 0) == both_of{0, 0});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, -2, 2).first == -4);
  CHECK(derivative([](auto a, auto b) { return a * stop_gradient(a) + stop_gradient(exp(b)); }, 3, 1) == both_of{3, 0});
}

TEST_CASE("equal extrema share the gradient evenly") {
  op_graph t;
  auto const x = t.real<col>(), y = t.real<col>();
  t.result(max<col>(x) + min<col>(y));
  adjoint_request request;
  request.outputs = 1; request.inputs = true;
  builder const joint = adjoint(t.b.view(), request);
  reference_evaluator e(joint.view(), t.extents_for(3), {{5, 1, 5}, {2, 2, 2}, {6.0}});
  for (int o = 0; o < joint.outputs.size; ++o) {
    if (joint.outputs[o].role != output_role::gradient) continue;
    auto const d = e.all(joint.outputs[o].node);
    if (joint.outputs[o].leaf == 0) CHECK(d == std::vector<double>{3, 0, 3});
    else CHECK(d == std::vector<double>{2, 2, 2});
  }
}

TEST_CASE("rows of only -inf, and uncounted targets, pass no gradient and no NaN") {
  double const inf = std::numeric_limits<double>::infinity();
  for (int which = 0; which < 3; ++which) {
    CAPTURE(which);
    op_graph t;
    auto const x = t.real<dep, col>();
    if (which == 0) t.result(logsumexp<col>(x));
    if (which == 1) t.result(contract<col>(softmax<col>(x), cast<f32>(iota<col>(x))));
    if (which == 2) t.result(cross_entropy<col>(x, t.index<dep>(0, 0)));
    adjoint_request request;
    request.outputs = 1; request.inputs = true;
    builder const joint = adjoint(t.b.view(), request);
    double const masked = which == 2 ? 4 : -inf;
    std::vector<std::vector<double>> data{{masked, masked, masked, 1, 2, 3}};
    if (which == 2) data.push_back({-1, 1});
    data.push_back({1, 1});
    reference_evaluator e(joint.view(), t.extents_for(2), data);
    auto const y = e.all(t.b.outputs[0].node);
    CHECK(y[0] == (which == 0 ? -inf : 0));
    int const gradient = joint.outputs[joint.outputs.size - 1].node;
    auto const d = e.all(gradient);   // by axis number: dep, then col
    for (std::size_t k = 0; k < 3; ++k) CHECK(d[k] == 0);
    double norm = 0;
    for (std::size_t k = 3; k < 6; ++k) norm += d[k] * d[k];
    CHECK(norm > 1e-3);
  }
}
