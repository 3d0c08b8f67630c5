// Live tensors: values against index loops, errors by axis name, functions of expressions.
#include "support/live.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<3> {};
struct hidden : axis<> {};
struct piece : axis<> {};

template <class T> tensor<axes<batch, feature>, T> numbers(std::int64_t n, double scale = 0.25) {
  tensor<axes<batch, feature>, T> x(batch{n});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(std::sin(static_cast<double>(i) + 1) * scale + 0.5);
  return x;
}
std::string what_of(auto&& f) {
  try { f(); } catch (error const& e) { return e.what(); }
  return "nothing thrown";
}
}  // namespace

TEST_CASE_TEMPLATE("pointwise expressions, broadcast by name", T, float, double) {
  auto x = numbers<T>(4);
  tensor<axes<feature>, T> y({}, {T(1), T(2), T(3)});
  auto e = x * 2 + exp(y);
  tensor r = eval(e);
  static_assert(std::is_same_v<decltype(r), tensor<axes<batch, feature>, T>>);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) CHECK(r(i, k) == doctest::Approx(x(i, k) * 2 + std::exp(y(k))));
  auto s = eval(select(x < 0.5, -x, 1 / x) - clamp(y, 1.5, 2.5));
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      CHECK(s(i, k) == doctest::Approx((x(i, k) < T(0.5) ? -x(i, k) : 1 / x(i, k)) - std::fmin(std::fmax(y(k), T(1.5)), T(2.5))));
}

TEST_CASE("reductions, softmax and contraction") {
  auto x = numbers<double>(2);
  auto r = eval(sum<feature>(x) / max<feature>(x) - mean<feature>(x * x));
  auto p = eval(softmax<feature>(x));
  tensor<axes<hidden, feature>, double> w(hidden{5});
  for (std::int64_t i = 0; i < w.size(); ++i) w.data()[i] = static_cast<double>(i % 7) - 3;
  auto h = eval(contract<feature>(x, w));
  static_assert(same_axes<decltype(h)::list, axes<batch, hidden>>);
  for (int i = 0; i < 2; ++i) {
    double total = 0, most = -1e9, squares = 0, weights = 0;
    for (int k = 0; k < 3; ++k) {
      total += x(i, k);
      most = std::fmax(most, x(i, k));
      squares += x(i, k) * x(i, k) / 3;
      weights += std::exp(x(i, k));
    }
    CHECK(r(i) == doctest::Approx(total / most - squares));
    for (int k = 0; k < 3; ++k) CHECK(p(i, k) == doctest::Approx(std::exp(x(i, k)) / weights));
    for (int j = 0; j < 5; ++j) {
      double dot = 0;
      for (int k = 0; k < 3; ++k) dot += x(i, k) * w(j, k);
      CHECK(h.at(batch{i}, hidden{j}) == doctest::Approx(dot));
    }
  }
  auto whole = eval(sum<batch, feature>(x));
  CHECK(whole.size() == 1);
}

TEST_CASE("integers and booleans") {
  tensor<axes<batch>, std::int32_t> index(shape<axes<batch>>(batch{4}), {2, 0, -1, 1});
  tensor<axes<hidden>, double> table(shape<axes<hidden>>(hidden{3}), {10, 20, 30});
  auto r = eval(gather<hidden>(table, index));
  CHECK(r(0) == 30);
  CHECK(r(1) == 10);
  CHECK(r(2) == 0);   // -1 is none
  CHECK(r(3) == 20);
  auto best = eval(argmax<hidden>(table));
  static_assert(std::is_same_v<decltype(best), tensor<axes<>, std::int32_t>>);
  CHECK(best() == 2);
  auto large = eval(table > 15);
  static_assert(std::is_same_v<decltype(large), tensor<axes<hidden>, bool>>);
  CHECK(!large(0));
  CHECK(large(2));
}

TEST_CASE("integers divide downwards, as in a traced function") {
  tensor<axes<seq>, std::int32_t> n(shape<axes<seq>>(seq{3}), {-3, 3, 7});
  auto const live = eval(n / 2 * 2), traced = eval([](auto x) { return x / 2 * 2; }, n);
  for (int i = 0; i < 3; ++i) CHECK(live(i) == traced(i));
  CHECK(live(0) == -4);
}

TEST_CASE("axes whose extent no operand has are bound after the operands") {
  tensor<axes<seq>, double> x(shape<axes<seq>>(seq{6}), {0, 1, 2, 3, 4, 5});
  auto r = eval(slice<seq, piece>(x, 2), piece{3});
  CHECK(r.extent<piece>() == 3);
  CHECK(r(0) == 2);
  CHECK(r(2) == 4);
  CHECK(what_of([&] { (void)eval(slice<seq, piece>(x, 2)); }) == "eval: axis piece has no extent: give it after the operands");
}

TEST_CASE("extents that disagree are named") {
  auto x = numbers<double>(2), y = numbers<double>(3);
  CHECK(what_of([&] { (void)eval(x + y); }) == "axis extents disagree: batch is 2 in one operand and 3 in another");
  CHECK(eval(x + x).size() == 6);   // an error leaves nothing behind
}

TEST_CASE("functions of expressions: scan, carry and attention over live tensors") {
  tensor<axes<batch, seq, feature>, double> x(batch{2}, seq{5});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = std::cos(static_cast<double>(i));
  auto decayed = eval([](auto sequence) {
    return scan<seq>(sequence, [](auto x_t) {
      auto h = carry<seq>(zeros_like(x_t));
      auto next = 0.5 * read(h) + x_t;
      write(h, next);
      return next;
    });
  }, x);
  auto attended = eval([](auto sequence) {
    return scan<seq>(sequence, [](auto x_t) {
      auto memory = remember<seq>(x_t);
      append(memory, pair<feature>(x_t, x_t));
      return attend(memory, x_t, pair<feature>(x_t, x_t));
    });
  }, x);
  for (int b = 0; b < 2; ++b) {
    double h[3]{};
    for (int t = 0; t < 5; ++t) {
      double weight[5], norm = 0, expected[3]{};
      for (int s = 0; s <= t; ++s) {
        double dot = 0;
        for (int k = 0; k < 3; ++k) dot += x(b, t, k) * x(b, s, k);
        norm += weight[s] = std::exp(dot);
      }
      for (int k = 0; k < 3; ++k) {
        h[k] = 0.5 * h[k] + x(b, t, k);
        CHECK(decayed.at(batch{b}, seq{t}, coordinate<feature>{k}) == doctest::Approx(h[k]));
        for (int s = 0; s <= t; ++s) expected[k] += weight[s] / norm * x(b, s, k);
        CHECK(attended.at(batch{b}, seq{t}, coordinate<feature>{k}) == doctest::Approx(expected[k]));
      }
    }
  }
  auto [low, high] = eval([](auto v) { return values(min<seq>(v), max<seq>(v)); }, x);
  CHECK(low.extent<batch>() == 2);
  CHECK(high(0, 0) >= low(0, 0));
  CHECK(what_of([&] {
    (void)eval([](auto sequence) {
      return scan<seq>(sequence, [](auto x_t) { return attend(remember<seq>(x_t), x_t, pair<feature>(x_t, x_t)); });
    }, x);
  }).starts_with("eval: a memory is read but nothing is appended to it"));
  auto total = eval(cumulative_sum<seq>(x));
  double summed = 0;
  for (int t = 0; t < 5; ++t) summed += x(1, t, 2);
  CHECK(total.at(batch{1}, seq{4}, coordinate<feature>{2}) == doctest::Approx(summed));
}

TEST_CASE("a function of expressions as one live operation") {
  auto x = numbers<float>(3);
  auto e = apply([](auto v) { return v - mean<feature>(v); }, x) * 2;
  auto r = eval(e);
  for (int i = 0; i < 3; ++i) CHECK(r(i, 0) + r(i, 1) + r(i, 2) == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("empty axes and tensors without axes") {
  auto none = numbers<double>(0);
  CHECK(eval(exp(none) * 2).size() == 0);
  CHECK(eval(sum<batch, feature>(none))() == 0);
  CHECK(eval(max<batch>(none))(0) == -std::numeric_limits<double>::infinity());
  tensor<axes<>, double> scalar({}, {3});
  CHECK(eval(scalar * scalar + 1)() == 10);
  CHECK(eval(scalar)() == 3);
}

TEST_CASE("remainders and booleans of live expressions") {
  tensor<axes<seq>, std::int32_t> n(shape<axes<seq>>(seq{5}), {-3, 0, 3, 4, 7});
  auto const r = eval(n % 3);
  auto const other = eval(n != 3), both = eval(n > 0 && n < 7), either = eval(n < 0 || n == 7), neither = eval(!(n < 0 || n == 7));
  static_assert(std::is_same_v<decltype(other), tensor<axes<seq>, bool> const>);
  int const expected[] = {0, 0, 0, 1, 1};
  for (int i = 0; i < 5; ++i) {
    CHECK(r(i) == expected[i]);
    CHECK(other(i) == (n(i) != 3));
    CHECK(both(i) == (n(i) > 0 && n(i) < 7));
    CHECK(either(i) == (n(i) < 0 || n(i) == 7));
    CHECK(neither(i) == !either(i));
  }
  CHECK(eval((n - 5) % 3)(0) == 1);   // the sign of the divisor: -8 % 3
}

TEST_CASE("split, merge and concatenate of live expressions") {
  tensor<axes<seq>, double> x(shape<axes<seq>>(seq{5}), {0, 1, 2, 3, 4});
  auto rows = eval(split<seq, hidden, piece>(x), piece{2});
  static_assert(same_axes<decltype(rows)::list, axes<hidden, piece>>);
  CHECK(rows.extent<hidden>() == 3);
  CHECK(rows.at(hidden{1}, piece{1}) == 3);
  CHECK(rows.at(hidden{2}, piece{1}) == 0);   // past the end
  auto again = eval(merge<hidden, piece, seq>(rows), seq{5});
  for (int i = 0; i < 5; ++i) CHECK(again(i) == x(i));
  tensor<axes<piece>, double> y(shape<axes<piece>>(piece{2}), {5, 6});
  auto both = eval(concatenate<seq, piece, hidden>(x, y), hidden{7});
  for (int i = 0; i < 7; ++i) CHECK(both(i) == i);
}

TEST_CASE("cross_entropy and rope of live expressions") {
  auto x = numbers<double>(2);
  tensor<axes<batch>, std::int32_t> target(shape<axes<batch>>(batch{2}), {2, -1});
  auto loss = eval(cross_entropy<feature>(x, target));
  CHECK(loss(0) == doctest::Approx(std::log(std::exp(x(0, 0)) + std::exp(x(0, 1)) + std::exp(x(0, 2))) - x(0, 2)));
  CHECK(loss(1) == 0);   // not counted
  tensor<axes<seq, hidden>, double> q(shape<axes<seq, hidden>>(seq{2}, hidden{2}), {1, 2, 3, 4});
  tensor<axes<seq>, std::int32_t> position(shape<axes<seq>>(seq{2}), {0, 3});
  auto turned = eval(rope<hidden>(q, position));
  CHECK(turned(0, 0) == doctest::Approx(1));
  CHECK(turned(1, 0) == doctest::Approx(3 * std::cos(3.0) - 4 * std::sin(3.0)));
  CHECK(turned(1, 1) == doctest::Approx(4 * std::cos(3.0) + 3 * std::sin(3.0)));
}
