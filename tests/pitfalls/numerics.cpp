// Pitfalls of numerics; the numbers are those of README.md beside this file.
#include "support/live.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct dim : axis<> {};
constexpr double infinity = std::numeric_limits<double>::infinity();

// Attention whose every pair is masked: earlier ones, and the position's own.
struct masked {
  constexpr auto operator()(source in) const {
    auto y = scan<seq>(in.input<batch, seq, dim>("x"), [](auto x) {
      auto memory = remember<seq>(x);
      auto kv = pair<dim>(x, x);
      append(memory, kv);
      return attend(memory, x, kv, [](auto s, auto p) { return select(p.distance() < -1, s, never(s)); });
    });
    return results(named("y", y), named("loss", sum<dim>(y * y + y)));
  }
};
}  // namespace

TEST_CASE("pitfall 18: sums of bf16 values do not saturate") {
  tensor<axes<seq>, float> x(seq{70000});
  x.fill(1);
  auto total = eval([](auto v) { return sum<seq>(cast<f32>(cast<bf16>(v))); }, x);
  CHECK(total() == 70000);
  CHECK(eval([](auto v) { return mean<seq>(cast<f32>(cast<bf16>(v))); }, x)() == 1);
}

TEST_CASE("pitfall 19: fully masked rows give 0, and gradients of 0") {
  for (bool tiles : {true, false}) {
    cpu::options o;
    o.tiles = tiles;
    o.poison = true;
    bound<training<masked, exact, true>, double> run(bind(batch{2}, seq{9}, dim{3}), o);
    std::vector<double> x(2 * 9 * 3), ones(2 * 9, 1);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
    run.set("x", std::span<double const>(x));
    run.set_leaf(run.seed_leaf("loss"), std::span<double const>(ones));
    run.run();
    for (double y : run.output("y")) CHECK(y == 0);
    int gradients = 0;
    for (int k = 0; k < run.graph.noutputs; ++k) {
      if (run.graph.outputs[k].role != output_role::gradient) continue;
      ++gradients;
      for (double g : run.engine().output(k)) CHECK(g == 0);
    }
    CHECK(gradients == 1);
  }
  tensor<axes<seq>, double> none(seq{4});
  none.fill(-infinity);
  auto const p = eval(softmax<seq>(none));
  for (double v : p) CHECK(v == 0);
  CHECK(eval(logsumexp<seq>(none))() == -infinity);
}

TEST_CASE("a row of NaN is not a masked row; a masked element of a softmax is exactly 0") {
  tensor<axes<batch, seq>, double> x(batch{2}, seq{5});
  x.fill(std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < 5; ++i) x(0, i) = i % 2 ? -infinity : i;
  auto const p = eval(softmax<seq>(x));
  for (int i = 0; i < 5; ++i) {
    CHECK((p(0, i) == 0) == (i % 2 == 1));
    CHECK(std::isnan(p(1, i)));
  }
  CHECK(std::isnan(eval(logsumexp<seq>(x))(1)));
  auto attended = eval([](auto v) {
    return scan<seq>(rename<batch, dim>(v), [](auto y) {
      auto memory = remember<seq>(y);
      append(memory, pair<dim>(y, y));
      return attend(memory, y, pair<dim>(y, y));
    });
  }, x);
  for (double y : attended) CHECK(std::isnan(y));   // every score has a NaN in it
}

TEST_CASE("pitfall 20: large, tiny and denormal arguments") {
  tensor<axes<seq>, float> x(shape<axes<seq>>(seq{12}), {1e4f, -1e4f, 88, -88, 89, -104, 1e-40f, -1e-40f, 0, -0.0f, 1e-45f, 3e38f});
  auto finite = [](auto const& t) { return std::all_of(t.begin(), t.end(), [](auto v) { return std::isfinite(v); }); };
  CHECK(finite(eval(softmax<seq>(x))));
  CHECK(std::isfinite(eval(logsumexp<seq>(x))()));
  CHECK(finite(eval(sigmoid(x))));
  CHECK(finite(eval(tanh(x))));
  CHECK(finite(eval(softplus(x))));
  CHECK(finite(eval(gelu(x))));
  CHECK(finite(eval(silu(x))));
  auto const s = eval(softplus(x));
  CHECK(s(0) == 1e4f);
  CHECK(s(1) == 0);
  auto const t = eval(sigmoid(x));
  CHECK(t(0) == 1);
  CHECK(t(1) == doctest::Approx(0));
  CHECK(t(6) == 0.5f);
}

TEST_CASE("pitfall 21: reductions of every size around a vector's width against a plain loop") {
  for (std::int64_t w : {4, 8, 16})
    for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, w - 1, w, w + 1, 2 * w + 3}) {
      tensor<axes<seq, batch>, float> x(seq{n}, batch{3});
      for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = -2 - static_cast<float>((i * 7) % 11);   // all negative: a 0 would win
      auto const [least, most] = eval([](auto v) { return values(min<seq>(v), max<seq>(v)); }, x);
      auto const [total, best] = eval([](auto v) { return values(sum<seq>(v), argmax<seq>(v)); }, x);
      auto const lse = eval(logsumexp<seq>(x));
      for (int b = 0; b < 3; ++b) {
        float s = 0, lo = std::numeric_limits<float>::infinity(), hi = -lo;
        double e = 0;
        int at = -1;
        for (int i = 0; i < n; ++i) {
          s += x(i, b);
          e += std::exp(static_cast<double>(x(i, b)));
          lo = std::min(lo, x(i, b));
          if (x(i, b) > hi) { hi = x(i, b); at = i; }
        }
        CHECK(total(b) == doctest::Approx(s));
        CHECK(least(b) == lo);
        CHECK(most(b) == hi);
        CHECK(best(b) == at);
        if (n) CHECK(lse(b) == doctest::Approx(std::log(e)));
        else CHECK(lse(b) == -std::numeric_limits<float>::infinity());
      }
    }
}
