// The optimizer's loops over vectors: the same as element by element at every length, cut anywhere; square roots to the last place.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "dyadic/cpu/functions/root.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/train/trainer.hpp"

using namespace dyadic;

namespace {

template <class T> std::int64_t units_apart(T x, T y) {
  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t> a, b;
  std::memcpy(&a, &x, sizeof x);
  std::memcpy(&b, &y, sizeof y);
  return a > b ? std::int64_t{a} - b : std::int64_t{b} - a;
}
template <class T> T root_of(T x) { return cpu::square_root<cpu::vector_of<T>>(cpu::broadcast<cpu::vector_of<T>>(x))[0]; }

/// Numbers of both signs and many sizes.
template <class T> std::vector<T> numbers(std::size_t n, std::uint64_t s) {
  std::vector<T> r(n);
  for (T& x : r) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<T>(std::ldexp(static_cast<double>(s >> 11) * 0x1p-52 - 1, static_cast<int>(s % 9) - 4));
  }
  return r;
}
template <class T> std::vector<T> squared(std::vector<T> v) {
  for (T& x : v) x *= x;
  return v;
}

template <class T> void check_update(T rounding) {
  train::adamw const settings;
  for (std::size_t n = 0; n < 70; ++n) {
    auto w = numbers<T>(n, 1), m = numbers<T>(n, 2), v = squared(numbers<T>(n, 3));
    auto const g = numbers<T>(n, 4), w0 = w, m0 = m, v0 = v;
    auto cut_w = w, cut_m = m, cut_v = v;
    train::adamw_step<T>(settings, 3, 0.01, 0.1, w, g, m, v, 0.5);
    std::size_t const at = n / 3;   // in two parts: the same bits
    auto part = [&](auto& x, bool second) { return second ? std::span(x).subspan(at) : std::span(x).first(at); };
    for (bool second : {false, true})
      train::adamw_step<T>(settings, 3, 0.01, 0.1, part(cut_w, second), part(g, second), part(cut_m, second), part(cut_v, second), 0.5);
    CHECK(w == cut_w);
    CHECK(m == cut_m);
    CHECK(v == cut_v);
    double const c1 = 1 - std::pow(settings.beta1, 3), c2 = 1 - std::pow(settings.beta2, 3);
    for (std::size_t i = 0; i < n; ++i) {
      double const x = 0.5 * static_cast<double>(g[i]), a = settings.beta1 * static_cast<double>(m0[i]) + (1 - settings.beta1) * x,
                   b = settings.beta2 * static_cast<double>(v0[i]) + (1 - settings.beta2) * x * x,
                   to = static_cast<double>(w0[i]) * (1 - 0.001) - 0.01 * (a / c1) / (std::sqrt(b / c2) + settings.epsilon);
      auto const near = [&](T got, double want) {
        return std::fabs(static_cast<double>(got) - want) <= static_cast<double>(rounding) * (0.1 + std::fabs(want));
      };
      CHECK(near(m[i], a));
      CHECK(near(v[i], b));
      CHECK(near(w[i], to));
    }
  }
}

}  // namespace

TEST_CASE("the optimizer in vectors: element by element the formula, wherever it is cut") {
  check_update<float>(1e-6f);
  check_update<double>(1e-14);
}

TEST_CASE("a moment that overflowed stops an element, a zero one leaves it to epsilon") {
  std::vector<float> w{1, 1}, m{0, 0}, v{std::numeric_limits<float>::infinity(), 0};
  std::vector<float> const g{1, 0};
  train::adamw_step<float>({}, 1, 0.1, 0, w, g, m, v);
  CHECK(w == std::vector<float>{1, 1});
}

TEST_CASE("sums of squares at every length, in an order of their own") {
  for (std::size_t n = 0; n < 100; ++n) {
    auto const x = numbers<float>(n, 7);
    double part[16]{}, plain = 0;
    for (std::size_t i = 0; i < n; ++i) part[i % 16] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    for (int half = 8; half > 0; half /= 2) for (int k = 0; k < half; ++k) part[k] += part[k + half];
    CHECK(train::sum_of_squares<float>(x) == part[0]);
    auto const y = numbers<double>(n, 8);
    for (double v : y) plain += v * v;
    CHECK(train::sum_of_squares<double>(y) == doctest::Approx(plain).epsilon(1e-14));
  }
  std::vector<float> bad(40, 1.0f);
  bad[33] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(train::sum_of_squares<float>(bad)));
}

TEST_CASE("square roots are within a unit of the last place") {
  std::int64_t worst = 0;
  for (std::uint32_t u = 0; u < 0x7f800000u; u += 4099) {   // from 0 over denormal numbers to the largest
    float x;
    std::memcpy(&x, &u, 4);
    worst = (std::max)(worst, units_apart(root_of(x), std::sqrt(x)));
  }
  CHECK(worst <= 1);
  for (double x : {0.0, 5e-324, 1e-310, 2e-308, 1e-290, 1e-9, 0.5, 1.0, 2.0, 3.0, 1e9, 1e300, 1.7e308})
    CHECK(units_apart(root_of(x), std::sqrt(x)) <= 1);
  CHECK(root_of(std::numeric_limits<float>::infinity()) == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(root_of(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("a trainer's gradients are read where they lie, in the weights' order") {
  using model = models::transformer<models::config{.vocabulary = 11, .width = 8, .layers = 2, .heads = 2, .hidden = 12}>;
  train::trainer<model, double> trainer(init<model, double>(seed{1}), exec::serial{}, train::adamw{}, models::batch{2}, models::seq{5});
  std::vector<int> const tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  trainer.inputs().set("tokens", std::span<int const>(tokens));
  trainer.inputs().set("targets", std::span<int const>(tokens));
  train::report r;
  trainer.evaluate(std::span<int const>(tokens), r);
  double squares = 0;
  int parameters = 0;
  for (int k = 0; k < trainer.inputs().graph.nleaves; ++k) {
    int const o = trainer.inputs().gradient_output(k);
    if (trainer.inputs().graph.leaves[k].role != leaf_role::parameter || o < 0) continue;
    auto const all = trainer.inputs().engine().output(o);
    auto const got = trainer.gradient(k);
    CHECK(std::vector<double>(got.begin(), got.end()) == all);
    for (double x : all) squares += x * x;
    ++parameters;
  }
  CHECK(parameters > 8);
  CHECK(r.gradient_norm == doctest::Approx(std::sqrt(squares)).epsilon(1e-12));
}
