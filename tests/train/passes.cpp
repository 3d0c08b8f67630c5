// Training under a solver: the number of passes is bound at run time in one program, and what the options and the model have to agree on.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "dyadic/models/rnn.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/machine.hpp"

using namespace dyadic;
using models::batch;
using models::seq;

namespace {

using model = models::rnn<models::symbol_config{.inputs = 5, .hidden = 6, .classes = 3}>;

struct feature : axis<2> {};
/// A recurrence whose losses are [position, row].
struct rows_last {
  parameter<feature> weight{};
  DYADIC_FIELDS(weight)
  constexpr auto operator()(source in) const {
    auto h = scan<seq>(in.input<seq, batch, feature>("x"), [&](auto x) {
      auto state = carry<seq>(zeros_like(x));
      auto next = tanh(x + weight(x) * read(state));
      write(state, next);
      return next;
    });
    return results(named("loss", sum<feature>(h * h)));
  }
};

template <class F> error_kind kind_of_error(F f) {
  try {
    f();
  } catch (error const& e) { return e.kind(); }
  return error_kind::file;   // which no trainer raises
}

}  // namespace

TEST_CASE("one program of jacobi training runs 1, 2 and 3 passes, as programs made at run time do") {
  for (std::int64_t passes : {1, 2, 3}) {
    CAPTURE(passes);
    test::lengths const n{2, 7, passes};
    bound<training<model, jacobi<>>, double> run(bind(batch{n.rows}, seq{n.positions}, pass{passes}));
    auto const w = init<model, double>(seed{1});
    test::move_parameters(*w, 3);
    run.bind_parameters(w.shared());
    auto const in = test::sequence_for(run.graph, n);
    for (auto const& [name, values] : in) run.set(name, std::span<double const>(values));
    auto const cotangent = run.cotangent("loss");
    REQUIRE(cotangent.size() == static_cast<std::size_t>(passes * n.rows * n.positions));
    std::vector<double> weights;
    for (std::size_t i = 0; i < cotangent.size(); ++i) weights.push_back(cotangent[i] = 0.1 + 0.05 * static_cast<double>(i % 7));
    run.run();

    test::machine judge(test::trained(traced<model>::graph, solver_kind::jacobi), n);
    test::move_parameters(judge.parameters(), 3);
    judge.set(in);
    auto const expected = judge.gradients(weights);
    CHECK(test::apart(run.output("loss"), judge.value("loss")) < 1e-13);
    CHECK(expected.size() == 5);
    for (auto const& gradient : expected) {
      CAPTURE(gradient.first);
      CHECK(test::apart(run.gradient(gradient.first), gradient.second) < 1e-12);
    }
    // A later pass sees further back: the positions before the last pass's number are exact.
    test::machine exact(test::evaluated(traced<model>::graph), {n.rows, n.positions});
    test::move_parameters(exact.parameters(), 3);
    exact.set(in);
    auto const all = run.output("loss"), truth = exact.result("loss");
    for (std::int64_t row = 0; row < n.rows; ++row)
      for (std::int64_t t = 0; t < passes; ++t) {
        auto const at = static_cast<std::size_t>(row * n.positions + t);
        CHECK(std::fabs(all[static_cast<std::size_t>((passes - 1) * n.rows * n.positions) + at] - truth[at]) < 1e-13);
      }
  }
}

TEST_CASE("a trainer of 1, 2 and 3 passes learns from finite gradients") {
  for (std::int64_t passes : {1, 2, 3}) {
    CAPTURE(passes);
    auto const w = init<model>(seed{2});
    train::trainer<model, float, jacobi<>> trainer(w, exec::serial{}, train::adamw{.rate = 0.02}, batch{2}, seq{7}, pass{passes});
    std::vector<std::int32_t> tokens, targets;
    for (int i = 0; i < 14; ++i) { tokens.push_back(i * i % 5); targets.push_back(i % 3); }
    double first = 0, last = 0;
    for (int k = 0; k < 60; ++k) {
      auto const r = trainer.step(train::example(std::span<std::int32_t const>(tokens), std::span<std::int32_t const>(targets)));
      CHECK(std::isfinite(r.loss));
      CHECK(std::isfinite(r.gradient_norm));
      CHECK(r.gradient_norm > 0);
      (k ? last : first) = r.loss;
    }
    CHECK(last < first);
  }
}

TEST_CASE("interleaved training: subsets, passes and the losses' axes have to agree") {
  auto const w = init<rows_last>(seed{1});
  auto make = [&](std::int64_t subsets, std::int64_t passes) {
    train::trainer_options options;
    options.subsets = subsets;
    return kind_of_error([&] {
      train::trainer<rows_last, float, interleaved<>>(w, exec::serial{}, train::adamw{}, options, batch{2}, seq{6}, pass{passes});
    });
  };
  CHECK(make(2, 3) == error_kind::argument);   // subsets are of positions, but the last axis of the losses is the rows'
  CHECK(make(2, 2) == error_kind::binding);    // two subsets need three passes
  CHECK(make(0, 3) == error_kind::argument);   // no subsets
}
