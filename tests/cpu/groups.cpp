// Kernels made at compile time against the same plan's statements one by one: every pointwise operation, rows with reductions, column sums,
// operands that lack axes or run across memory, at lengths around a vector and none at all; values and gradients, double and float.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "dyadic/exec/runner.hpp"
#include "dyadic/nn.hpp"

using namespace dyadic;

namespace {

struct row : axis<> {};
struct spot : axis<> {};
struct feature : axis<> {};

/// Operations of one, two and three operands, chained so that the compiler has something to fuse.
struct every_map {
  constexpr auto operator()(source in) const {
    auto x = in.input<row, feature>("x"), y = in.input<row, feature>("y");
    auto w = in.input<feature>("w");
    auto s = in.input<row>("s");
    auto a = exp(x * 0.3) + log(abs(y) + 1.5) + sqrt(abs(x) + 0.2) * rsqrt(y * y + 0.7) + reciprocal(x * x + 1);
    auto b = tanh(a * 0.1) * sigmoid(y) + silu(x) - gelu(y) + gelu_tanh(x * y) + relu(x - y) + squared_relu(y) - softplus(x);
    auto c = sin(x) * cos(y) + erf(x * 0.5) + floor(y * 2) * 0.01 + minimum(x, y) * maximum(x, w) + power(abs(x) + 0.5, y);
    auto d = select(x < y, a * s, b - w) + clamp(x, -0.5, 0.75) * cast<f32>(cast<i32>(y * 3)) + select(x <= w, c, c * s) / (abs(y) + 2);
    auto e = stop_gradient(b) * a + probe("middle", c * w) - d;
    return results(named("e", e), named("d", d), named("energy", sum<row, feature>(e * d)));
  }
};

/// Norms, extremes along the row axis, sums over the other axes, and operands that lack one axis or both.
struct every_row {
  constexpr auto operator()(source in) const {
    auto x = in.input<row, spot, feature>("x");
    auto w = in.input<feature>("w");
    auto v = in.input<row, feature>("v");
    auto s = in.input<row, spot>("s");
    auto t = in.input<feature, spot, row>("t");   // across memory
    auto n = x * rsqrt(mean<feature>(x * x) + 1e-6) * w;
    auto shifted = n - mean<feature>(n);
    auto spread_out = shifted * rsqrt(variance<feature>(shifted) + 1e-5) * s + t * v;
    auto top = max<feature>(spread_out), low = min<feature>(spread_out * w);
    auto z = (spread_out - top) * (1.5 - low * 0.1) + v;
    auto columns = sum<row, spot>(z * w);
    auto scalars = tanh(sum<feature>(z * 0.1)) * s;
    return results(named("z", z), named("columns", columns), named("scalars", scalars), named("low", low),
                   named("energy", sum<row, spot, feature>(z * z * 0.01) + sum<feature>(columns * w) + sum<row, spot>(scalars)));
  }
};

double number(std::size_t i, int salt) { return std::sin(static_cast<double>(i) * 1.7 + salt * 0.9) * 1.3 + 0.05 * std::cos(static_cast<double>(i)); }

template <class Program, class T, class... A> std::vector<std::vector<T>> run(bool fuse, A... axes) {
  cpu::options o;
  o.fuse = fuse;
  o.poison = true;
  bound<Program, T> r(bind(axes...), o);
  CHECK((groups_of(r.plan) > 0) == fuse);
  for (int k = 0; k < r.graph.nleaves; ++k) {
    leaf const& l = r.graph.leaves[k];
    if (l.role != leaf_role::input || l.node < 0) continue;
    auto const v = r.input(k);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(number(i, k));
  }
  for (T& c : r.cotangent("energy")) c = T(1);
  r.run();
  std::vector<std::vector<T>> all;
  for (int k = 0; k < r.graph.noutputs; ++k) all.push_back(r.engine().output(k));
  return all;
}

template <class Program, class T, class... A> void compare(double tolerance, A... axes) {
  auto const by_groups = run<Program, T>(true, axes...), one_by_one = run<Program, T>(false, axes...);
  REQUIRE(by_groups.size() == one_by_one.size());
  for (std::size_t k = 0; k < by_groups.size(); ++k) {
    REQUIRE(by_groups[k].size() == one_by_one[k].size());
    double scale = 1, worst = 0;
    for (std::size_t i = 0; i < by_groups[k].size(); ++i) {
      double const x = static_cast<double>(by_groups[k][i]), y = static_cast<double>(one_by_one[k][i]);
      if (std::isfinite(y)) scale = std::fmax(scale, std::fabs(y));
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      worst = std::fmax(worst, std::isnan(x - y) ? HUGE_VAL : std::fabs(x - y));
    }
    CAPTURE(k);
    CHECK(worst <= tolerance * scale);
  }
}

template <class Model> using derived = differentiated<Model, results_called<Model>("energy")>;

}  // namespace

TEST_CASE("every pointwise operation, fused") {
  for (std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 67})
    for (std::int64_t rows : {0, 1, 3}) {
      CAPTURE(n);
      CAPTURE(rows);
      compare<derived<every_map>, double>(1e-13, row{rows}, feature{n});
      compare<derived<every_map>, float>(2e-5, row{rows}, feature{n});
    }
}
TEST_CASE("rows with reductions, column sums and operands of every shape, fused") {
  for (std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33})
    for (std::int64_t rows : {0, 1, 3})
      for (std::int64_t spots : {1, 2, 5}) {
        CAPTURE(n);
        CAPTURE(rows);
        CAPTURE(spots);
        compare<derived<every_row>, double>(1e-11, row{rows}, spot{spots}, feature{n});
        if (n > 2) compare<derived<every_row>, float>(2e-3, row{rows}, spot{spots}, feature{n});
      }
}
