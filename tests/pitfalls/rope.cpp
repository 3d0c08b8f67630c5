// Pitfall 32: rotary embedding in two conventions that agree at position 0 only; the numbers are those of README.md beside this file.
#include "support/live.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace dyadic;

namespace {
struct seq : axis<> {};
struct dim : axis<6> {};
}  // namespace

TEST_CASE("pitfall 32: rotary conventions are two types, and a part of the head can be rotated") {
  tensor<axes<seq, dim>, double> x(seq{4});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 1 + static_cast<double>(i);
  tensor<axes<seq>, std::int32_t> const at(shape<axes<seq>>(seq{4}), {0, 1, 2, 300});
  auto const half = eval([](auto v, auto p) { return rope<dim>(v, p); }, x, at);
  auto const pairs = eval([](auto v, auto p) { return rope<dim, interleaved_pairs>(v, p); }, x, at);
  auto const part = eval([](auto v, auto p) { return rope<dim>(v, p, {.rotary = 4}); }, x, at);
  for (int t = 0; t < 4; ++t) {
    double const p = at(t);
    for (int j = 0; j < 3; ++j) {
      double const angle = p * std::pow(10000.0, -2.0 * j / 6), c = std::cos(angle), s = std::sin(angle);
      CHECK(half(t, j) == doctest::Approx(x(t, j) * c - x(t, j + 3) * s));
      CHECK(half(t, j + 3) == doctest::Approx(x(t, j + 3) * c + x(t, j) * s));
      CHECK(pairs(t, 2 * j) == doctest::Approx(x(t, 2 * j) * c - x(t, 2 * j + 1) * s));
      CHECK(pairs(t, 2 * j + 1) == doctest::Approx(x(t, 2 * j + 1) * c + x(t, 2 * j) * s));
    }
    for (int j = 0; j < 2; ++j) {
      double const angle = p * std::pow(10000.0, -2.0 * j / 4), c = std::cos(angle), s = std::sin(angle);
      CHECK(part(t, j) == doctest::Approx(x(t, j) * c - x(t, j + 2) * s));
      CHECK(part(t, j + 2) == doctest::Approx(x(t, j + 2) * c + x(t, j) * s));
      CHECK(part(t, 4 + j) == x(t, 4 + j));
    }
  }
  CHECK(half(0, 1) == pairs(0, 1));   // equal at position 0, which is why the difference is easily missed
  CHECK(half(1, 1) != doctest::Approx(pairs(1, 1)));
}
