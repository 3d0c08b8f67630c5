// Layers against their formulas, written out as loops.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "dyadic/exec/runner.hpp"
#include "dyadic/nn.hpp"

using namespace dyadic;

namespace {

struct rows : axis<> {};
struct in_axis : axis<3> {};
struct out_axis : axis<5> {};

struct layers {
  nn::rms_norm<in_axis> rms{.eps = 0.1};
  nn::zero_centred_rms_norm<in_axis> centred{.eps = 0.1};
  nn::layer_norm<in_axis> norm{.eps = 0.1};
  nn::layer_norm_with_bias<in_axis> biased{.eps = 0.1};
  nn::linear<in_axis, out_axis> map;
  nn::linear<in_axis, in_axis> square;
  nn::affine<in_axis, out_axis> with_bias;
  nn::swiglu<in_axis, out_axis> gated;
  nn::gelu_mlp<in_axis, out_axis> smooth;
  nn::squared_relu_mlp<in_axis, out_axis> squared;
  DYADIC_FIELDS(rms, centred, norm, biased, map, square, with_bias, gated, smooth, squared)

  constexpr auto operator()(source in) const {
    auto x = in.input<rows, in_axis>("x");
    return results(named("rms", rms(x)), named("centred", centred(x)), named("norm", norm(x)), named("biased", biased(x)), named("map", map(x)),
                   named("square", square(x)), named("with_bias", with_bias(x)), named("gated", gated(x)), named("smooth", smooth(x)),
                   named("squared", squared(x)));
  }
};

using vec = std::vector<double>;

struct machine {
  weights<layers, double> w = init<layers, double>(seed{5});
  bound<evaluation<layers>, double> run{bind(rows{2})};
  vec x{0.3, -1.2, 2.5, -0.7, 0.1, 0.4};

  machine() {
    // Gains and biases away from 1 and 0, so that forgetting one is seen.
    w->each([](std::string const&, leaf const&, double* p, std::int64_t n) { for (std::int64_t i = 0; i < n; ++i) p[i] += 0.1 * static_cast<double>(i + 1); });
    run.bind_parameters(w.shared());
    run.set("x", std::span<double const>(x));
    run.run();
  }
  vec parameter(std::string const& name) {
    vec out;
    w->each([&](std::string const& n, leaf const&, double* p, std::int64_t size) { if (n == name) out.assign(p, p + size); });
    REQUIRE_MESSAGE(!out.empty(), name);
    return out;
  }
  vec row(std::size_t r) const { return {x.begin() + static_cast<std::ptrdiff_t>(3 * r), x.begin() + static_cast<std::ptrdiff_t>(3 * r + 3)}; }
  void expect(std::string const& name, std::function<vec(vec const&)> const& formula) {
    vec want;
    for (std::size_t r = 0; r < 2; ++r) { auto const y = formula(row(r)); want.insert(want.end(), y.begin(), y.end()); }
    vec const got = run.output(name);
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK_MESSAGE(got[i] == doctest::Approx(want[i]).epsilon(1e-12), name);
  }
};

/// weight[out][in], as in files.
vec product(vec const& weight, vec const& x) {
  vec y(weight.size() / x.size());
  for (std::size_t o = 0; o < y.size(); ++o)
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += weight[o * x.size() + i] * x[i];
  return y;
}
vec of_each(vec x, double (*f)(double)) {
  for (double& v : x) v = f(v);
  return x;
}
double sigmoid_of(double v) { return 1 / (1 + std::exp(-v)); }

}  // namespace

TEST_CASE("norms") {
  machine m;
  auto scaled = [](vec x, vec const& w, double offset, double eps, bool centre, vec const& b = {}) {
    double mean = 0, square = 0;
    for (double v : x) mean += v / 3;
    if (!centre) mean = 0;
    for (double v : x) square += (v - mean) * (v - mean) / 3;
    for (std::size_t i = 0; i < 3; ++i) x[i] = (w[i] + offset) * (x[i] - mean) / std::sqrt(square + eps) + (b.empty() ? 0.0 : b[i]);
    return x;
  };
  m.expect("rms", [&](vec const& x) { return scaled(x, m.parameter("rms.weight"), 0, 0.1, false); });
  m.expect("centred", [&](vec const& x) { return scaled(x, m.parameter("centred.weight"), 1, 0.1, false); });
  m.expect("norm", [&](vec const& x) { return scaled(x, m.parameter("norm.weight"), 0, 0.1, true); });
  m.expect("biased", [&](vec const& x) { return scaled(x, m.parameter("biased.weight"), 0, 0.1, true, m.parameter("biased.bias")); });
}

TEST_CASE("linear maps") {
  machine m;
  m.expect("map", [&](vec const& x) { return product(m.parameter("map.weight"), x); });
  m.expect("square", [&](vec const& x) { return product(m.parameter("square.weight"), x); });
  m.expect("with_bias", [&](vec const& x) {
    vec y = product(m.parameter("with_bias.weight"), x);
    vec const b = m.parameter("with_bias.bias");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += b[i];
    return y;
  });
}

TEST_CASE("feed-forward layers") {
  machine m;
  m.expect("gated", [&](vec const& x) {
    vec g = product(m.parameter("gated.gate_proj.weight"), x);
    vec const u = product(m.parameter("gated.up_proj.weight"), x);
    for (std::size_t i = 0; i < g.size(); ++i) g[i] *= sigmoid_of(g[i]) * u[i];
    return product(m.parameter("gated.down_proj.weight"), g);
  });
  m.expect("smooth", [&](vec const& x) {
    auto const gelu = [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); };
    return product(m.parameter("smooth.down_proj.weight"), of_each(product(m.parameter("smooth.up_proj.weight"), x), gelu));
  });
  m.expect("squared", [&](vec const& x) {
    auto const squared = [](double v) { return v > 0 ? v * v : 0.0; };
    return product(m.parameter("squared.down_proj.weight"), of_each(product(m.parameter("squared.up_proj.weight"), x), squared));
  });
}
