// AdamW against values computed by hand, and what it refuses; groups, clipping, schedule, snapshot.
#include "dyadic/train/adamw.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dyadic/train/clip.hpp"
#include "dyadic/train/groups.hpp"
#include "dyadic/train/schedule.hpp"
#include "dyadic/train/snapshot.hpp"

using namespace dyadic;

TEST_CASE("two steps of AdamW by hand") {
  train::adamw const settings{.rate = 0.1, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .decay = 0.5};
  std::vector<double> w{1.0, -2.0}, m(2), v(2);
  std::vector<double> const g1{0.5, -3.0}, g2{-1.0, 0.0};
  auto step = [&](std::int64_t n, std::vector<double> const& g) {
    train::adamw_step<double>(settings, n, settings.rate, settings.decay, w, g, m, v);
  };
  step(1, g1);   // the corrected moments are g and g^2: a step of rate x sign(g), after w x (1 - 0.05)
  CHECK(w[0] == doctest::Approx(0.95 - 0.1).epsilon(1e-7));
  CHECK(w[1] == doctest::Approx(-1.9 + 0.1).epsilon(1e-7));
  step(2, g2);
  // element 0: m = 0.9 * 0.05 + 0.1 * -1 = -0.055, v = 0.99 * 0.0025 + 0.01 = 0.012475
  double const m0 = -0.055 / (1 - 0.81), v0 = 0.012475 / (1 - 0.9801);
  CHECK(w[0] == doctest::Approx(0.95 * 0.85 - 0.1 * m0 / (std::sqrt(v0) + 1e-8)).epsilon(1e-7));
  // element 1: m = 0.9 * -0.3 = -0.27, v = 0.99 * 0.09 = 0.0891
  double const m1 = -0.27 / (1 - 0.81), v1 = 0.0891 / (1 - 0.9801);
  CHECK(w[1] == doctest::Approx(0.95 * -1.8 - 0.1 * m1 / (std::sqrt(v1) + 1e-8)).epsilon(1e-7));
}

TEST_CASE("scaling the gradient is scaling the gradient; float agrees with double") {
  train::adamw const settings;
  std::vector<double> w{0.3}, m(1), v(1), w2{0.3}, m2(1), v2(1);
  std::vector<float> wf{0.3f}, mf(1), vf(1);
  for (std::int64_t n = 1; n <= 50; ++n) {
    std::vector<double> const g{std::sin(static_cast<double>(n))}, half{g[0] / 2};
    std::vector<float> const gf{static_cast<float>(g[0])};
    train::adamw_step<double>(settings, n, 1e-2, 0.1, w, g, m, v, 0.5);
    train::adamw_step<double>(settings, n, 1e-2, 0.1, w2, half, m2, v2);
    train::adamw_step<float>(settings, n, 1e-2, 0.1, wf, gf, mf, vf, 0.5);
  }
  CHECK(w == w2);
  CHECK(static_cast<double>(wf[0]) == doctest::Approx(w[0]).epsilon(1e-5));
}

TEST_CASE("a refused step writes nothing") {
  std::vector<double> w{1, 2}, m(2), v(2), g(1);
  CHECK_THROWS_AS(train::adamw_step<double>({}, 1, 0.1, 0, w, g, m, v), error);
  g.resize(2, 1.0);
  CHECK_THROWS_AS(train::adamw_step<double>({}, 0, 0.1, 0, w, g, m, v), error);
  CHECK(w == std::vector<double>{1, 2});
  CHECK(m == std::vector<double>{0, 0});
  std::vector<double> none;
  train::adamw_step<double>({}, 1, 0.1, 0, none, none, none, none);   // an axis of extent 0
}

TEST_CASE("the first matching group decides") {
  train::group const groups[] = {{.matches = [](std::string_view n, int) { return n.starts_with("embed"); }, .rate_factor = 0.5, .decay_factor = 0},
                                 {.matches = train::is_vector, .rate_factor = 2, .decay_factor = 0}};
  CHECK(train::group_of(groups, "embed.weight", 1).rate_factor == 0.5);
  CHECK(train::group_of(groups, "norm.weight", 1).rate_factor == 2);
  CHECK(train::group_of(groups, "mlp.weight", 2).rate_factor == 1);
  CHECK(train::group_of(groups, "mlp.weight", 2).decay_factor == 1);
  CHECK(train::group_of(train::usual_groups, "model.layers.0.input_layernorm.weight", 1).decay_factor == 0);
  CHECK(train::group_of({}, "x", 1).decay_factor == 1);
}

TEST_CASE("clipping by the common norm") {
  std::vector<float> const a{3}, b{0, 4};
  double const norm = std::sqrt(train::sum_of_squares<float>(a) + train::sum_of_squares<float>(b));
  CHECK(norm == 5);
  CHECK(train::clip_scale(norm, 1) == 0.2);
  CHECK(train::clip_scale(norm, 5) == 1);
  CHECK(train::clip_scale(0, 1) == 1);
  CHECK_THROWS_AS(train::clip_scale(std::nan(""), 1), error);
  CHECK_THROWS_AS(train::clip_scale(std::numeric_limits<double>::infinity(), 1), error);
  CHECK_THROWS_AS(train::clip_scale(1, 0), error);
  std::vector<float> const huge{1e30f, 1e30f};   // squares that float cannot hold
  CHECK(std::isfinite(train::sum_of_squares<float>(huge)));
}

TEST_CASE("the cosine schedule at its corners") {
  train::cosine_schedule const s{.warmup = 4, .total = 12, .floor = 0.2};
  CHECK(s(0) == 0.25);
  CHECK(s(3) == 1);
  CHECK(s(4) == 1);
  CHECK(s(8) == doctest::Approx(0.6));
  CHECK(s(12) == 0.2);
  CHECK(s(1000) == 0.2);
  for (std::int64_t i = 4; i < 12; ++i) CHECK(s(i + 1) < s(i));
  CHECK(train::cosine_schedule{}(7) == 1);
  CHECK(train::cosine_schedule{.warmup = 5, .total = 5}(5) == doctest::Approx(0.1));
}

TEST_CASE("a snapshot restores what it copied, or nothing") {
  std::vector<double> a{1, 2}, b{3};
  std::span<double> const both[] = {a, b};
  train::snapshot<double> const kept{both};
  a[0] = 9; b[0] = 9;
  kept.restore(both);
  CHECK(a == std::vector<double>{1, 2});
  CHECK(b == std::vector<double>{3});
  std::span<double> const one[] = {a};
  CHECK_THROWS_AS(kept.restore(one), error);
  CHECK(train::snapshot<double>{}.empty());
}
