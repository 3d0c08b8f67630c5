// The trainer on a model small enough to look at: it learns, reproducibly, and a refused step changes nothing.
#include "dyadic/train/trainer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dyadic/models/transformer.hpp"
#include "dyadic/train/data.hpp"
#include "dyadic/train/snapshot.hpp"
#include "support/engines.hpp"

using namespace dyadic;
using models::batch;
using models::seq;

namespace {
using tiny = models::transformer<models::config{.vocabulary = 8, .width = 8, .layers = 1, .heads = 2, .hidden = 16}>;
constexpr std::int64_t rows = 4, length = 6;

struct course {
  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(rows * length), targets = tokens;
  std::vector<std::uint8_t> text = std::vector<std::uint8_t>(64);
  weights<tiny, float> w = init<tiny>(seed{3});
  train::trainer<tiny> trainer;

  explicit course(train::trainer_options const& options = {})
      : trainer(w, exec::serial{}, train::adamw{.rate = 0.02}, options, batch{rows}, seq{length}) {
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>((i * i + i / 3) % 8);
  }
  train::report step(std::int64_t n) {
    train::training_batch<std::int32_t>(text, 1, n, length, tokens, targets);
    return trainer.step(train::example(std::span<std::int32_t const>(tokens), std::span<std::int32_t const>(targets)));
  }
};

template <class F> error_kind kind_of_error(F f) {
  try {
    f();
  } catch (error const& e) { return e.kind(); }
  return error_kind::file;   // which no trainer raises
}
}  // namespace

TEST_CASE("it learns, and the same seed learns the same") {
  course a, b;
  double first = 0, last = 0;
  for (std::int64_t n = 0; n < 120; ++n) {
    auto const x = a.step(n), y = b.step(n);
    CHECK(x.loss == y.loss);
    CHECK(x.step == n + 1);
    if (n < 10) first += x.loss / 10;
    if (n >= 110) last += x.loss / 10;
  }
  CHECK(first == doctest::Approx(std::log(8.0)).epsilon(0.2));
  CHECK(last < 0.5 * first);
  CHECK(a.w->values == b.w->values);
}

TEST_CASE("targets of -1 are not counted; with none counted the loss and the gradient are 0") {
  course c;
  train::training_batch<std::int32_t>(c.text, 1, 0, length, c.tokens, c.targets);
  std::vector<std::int32_t> none(c.targets.size(), -1);
  train::report r;
  c.trainer.inputs().set("tokens", std::span<std::int32_t const>(c.tokens));
  c.trainer.inputs().set("targets", std::span<std::int32_t const>(none));
  c.trainer.evaluate(std::span<std::int32_t const>(none), r);
  CHECK(r.loss == 0);
  CHECK(r.gradient_norm == 0);
  none[3] = 5;
  c.trainer.inputs().set("targets", std::span<std::int32_t const>(none));
  c.trainer.evaluate(std::span<std::int32_t const>(none), r);
  CHECK(r.loss > 0.1);   // the mean over one token, not over all
}

TEST_CASE("a refused step leaves weights, moments and the count of steps") {
  course c, same;
  for (std::int64_t n = 0; n < 3; ++n) { c.step(n); same.step(n); }
  auto const before = c.w->values;
  std::vector<std::int32_t> const foreign(rows * length, 8), few(5, 0);
  auto view = [](std::vector<std::int32_t> const& v) { return std::span<std::int32_t const>(v); };
  CHECK_THROWS_AS(c.trainer.step(train::example(view(foreign), view(c.targets))), error);
  CHECK_THROWS_AS(c.trainer.step(train::example(view(few), view(few))), error);
  CHECK(c.w->values == before);
  CHECK(c.trainer.steps() == 3);
  for (auto* x : {&c, &same}) x->step(3);
  CHECK(c.w->values == same.w->values);

  // A loss that is no number, from a weight that is none: found before any weight is written.
  for (auto& v : c.w->values) if (!v.empty()) { v[0] = std::numeric_limits<float>::quiet_NaN(); break; }
  std::int64_t const steps = c.trainer.steps();
  auto is_refused = [&] {
    for (std::int64_t n = 4; n < 12; ++n) {   // until a window reads the poisoned row
      auto const kept = c.w->values;
      try {
        c.step(n);
      } catch (error const&) {
        bool unchanged = true;
        for (std::size_t k = 0; k < kept.size(); ++k)
          for (std::size_t i = 0; i < kept[k].size(); ++i)
            unchanged = unchanged && (kept[k][i] == c.w->values[k][i] || (std::isnan(kept[k][i]) && std::isnan(c.w->values[k][i])));
        return unchanged;
      }
    }
    return false;
  };
  CHECK(is_refused());
  CHECK(c.trainer.steps() < steps + 8);
}

TEST_CASE("targets that are neither none nor as many as losses are refused before anything runs") {
  course c;
  train::training_batch<std::int32_t>(c.text, 1, 0, length, c.tokens, c.targets);
  auto view = [](std::vector<std::int32_t> const& v) { return std::span<std::int32_t const>(v); };
  c.trainer.inputs().set("tokens", view(c.tokens));
  c.trainer.inputs().set("targets", view(c.targets));
  auto const before = c.w->values;
  train::report r;
  for (std::size_t n : {std::size_t{1}, std::size_t{5}, c.targets.size() - 1, c.targets.size() + 1, 2 * c.targets.size()}) {
    CAPTURE(n);
    std::vector<std::int32_t> const others(n, 0);
    CHECK(kind_of_error([&] { c.trainer.step_on(view(others)); }) == error_kind::shape);
    CHECK(kind_of_error([&] { c.trainer.evaluate(view(others), r); }) == error_kind::shape);
  }
  CHECK(c.w->values == before);
  CHECK(c.trainer.steps() == 0);
  c.trainer.evaluate(std::span<std::int32_t const>(), r);   // none: every token counts
  double const all = r.loss;
  c.trainer.evaluate(view(c.targets), r);
  CHECK(r.loss == all);
}

TEST_CASE("clipping, groups and the schedule reach the steps") {
  train::group const frozen[] = {{.matches = [](std::string_view, int) { return true; }, .rate_factor = 0}};
  train::trainer_options options;
  options.groups = frozen;
  course c(options);
  auto const before = c.w->values;
  c.step(0);
  CHECK(c.w->values == before);

  train::trainer_options warm;
  warm.schedule = {.warmup = 4, .total = 8, .floor = 0};
  course w(warm);
  CHECK(w.step(0).rate == doctest::Approx(0.02 / 4));
  CHECK(w.step(1).rate == doctest::Approx(0.02 / 2));
}
