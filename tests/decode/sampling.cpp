// Sampling: greedy, temperature, top-k, top-p; ties, infinities and NaN; the same seed draws the same tokens.
#include "dyadic/decode/sampling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace dyadic;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<double> frequencies(std::vector<double> const& logits, decode::sampling settings, int draws = 20000) {
  decode::sampler s(settings, 3);
  std::vector<double> seen(logits.size());
  for (int i = 0; i < draws; ++i) seen[static_cast<std::size_t>(s(std::span<double const>(logits)))] += 1.0 / draws;
  return seen;
}
}  // namespace

TEST_CASE("greedy takes the first of the largest") {
  std::vector<float> const x{1, 3, 3, 2};
  CHECK(decode::greedy<float>(x) == 1);
  CHECK(decode::sampler({.temperature = 0})(std::span<float const>(x)) == 1);
  std::vector<double> const masked{-inf, -5, -inf};
  CHECK(decode::greedy<double>(masked) == 1);
}

TEST_CASE("what cannot be sampled is refused, and the sampler is unchanged") {
  std::vector<double> const nan{0, std::nan("")}, none{-inf, -inf}, empty, good{0, 0};
  decode::sampler s({}, 1);
  CHECK_THROWS_AS(s(std::span<double const>(nan)), error);
  CHECK_THROWS_AS(s(std::span<double const>(none)), error);
  CHECK_THROWS_AS(s(std::span<double const>(empty)), error);
  CHECK(s.draws() == 0);
  s(std::span<double const>(good));
  CHECK(s.draws() == 1);
  CHECK_THROWS_AS(decode::sampler({.temperature = -1}), error);
  CHECK_THROWS_AS(decode::sampler({.temperature = std::nan("")}), error);
  CHECK_THROWS_AS(decode::sampler({.temperature = inf}), error);
  CHECK_THROWS_AS(decode::sampler({.top_k = -1}), error);
  CHECK_THROWS_AS(decode::sampler({.top_p = 0}), error);
  CHECK_THROWS_AS(decode::sampler({.top_p = 1.5}), error);
}

TEST_CASE("frequencies follow the distribution") {
  std::vector<double> const logits{std::log(1.0), std::log(2.0), -inf, std::log(5.0)};
  auto const f = frequencies(logits, {});
  CHECK(f[0] == doctest::Approx(0.125).epsilon(0.05));
  CHECK(f[1] == doctest::Approx(0.25).epsilon(0.05));
  CHECK(f[2] == 0);
  CHECK(f[3] == doctest::Approx(0.625).epsilon(0.05));
  auto const sharp = frequencies(logits, {.temperature = 0.5});   // squares: 1, 4, 25
  CHECK(sharp[0] == doctest::Approx(1.0 / 30).epsilon(0.15));
  CHECK(sharp[3] == doctest::Approx(25.0 / 30).epsilon(0.05));
  CHECK(frequencies(logits, {.temperature = 1e-9})[3] == doctest::Approx(1));
  auto const flat = frequencies({1000, -1000, -inf}, {.temperature = 1e9});
  CHECK(flat[0] == doctest::Approx(0.5).epsilon(0.05));
  CHECK(flat[2] == 0);
}

TEST_CASE("top-k and top-p keep the most likely; of equals, the lower numbers") {
  auto const two = frequencies({std::log(1.0), std::log(3.0), std::log(2.0)}, {.top_k = 2});
  CHECK(two[0] == 0);
  CHECK(two[1] == doctest::Approx(0.6).epsilon(0.05));
  auto const tied = frequencies({1, 1, 1, 1}, {.top_k = 2});
  CHECK(tied[0] + tied[1] == doctest::Approx(1));
  CHECK(frequencies({0, 1}, {.top_k = 99})[0] > 0);
  // probabilities .5 .3 .2: half is held by the first alone, .7 takes two, .81 all
  std::vector<double> const p{std::log(0.2), std::log(0.5), std::log(0.3)};
  CHECK(frequencies(p, {.top_p = 0.4})[1] == doctest::Approx(1));
  auto const nucleus = frequencies(p, {.top_p = 0.7});
  CHECK(nucleus[0] == 0);
  CHECK(nucleus[2] == doctest::Approx(0.375).epsilon(0.05));
  CHECK(frequencies(p, {.top_p = 0.81})[0] > 0);
  CHECK(frequencies(p, {.top_p = 1e-300})[1] == doctest::Approx(1));   // never nothing
  CHECK(frequencies({-inf, 0, -inf}, {.top_k = 3, .top_p = 0.999})[1] == doctest::Approx(1));
  CHECK(frequencies({inf, 0, inf}, {})[0] == doctest::Approx(0.5).epsilon(0.05));   // infinite logits share everything
}

TEST_CASE("the same seed draws the same tokens; a copy goes its own way from where it was made") {
  std::vector<double> const logits(50, 0.0);
  std::span<double const> const x(logits);
  decode::sampler a({}, 11), b({}, 11), c({}, 12);
  std::vector<std::int64_t> from_a, from_b, from_c, from_copy, from_rest;
  for (int i = 0; i < 20; ++i) { from_a.push_back(a(x)); from_b.push_back(b(x)); from_c.push_back(c(x)); }
  CHECK(from_a == from_b);
  CHECK(from_a != from_c);
  decode::sampler copy = a;
  for (int i = 0; i < 20; ++i) { from_copy.push_back(copy(x)); from_rest.push_back(a(x)); }
  CHECK(from_copy == from_rest);
  CHECK(from_copy != from_a);
}
