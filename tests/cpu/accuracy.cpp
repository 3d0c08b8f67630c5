// The engine's vector functions against long double, over all magnitudes and at every special argument: the bounds that
// cpu/vector_functions.hpp states.
#include "support/live.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dyadic/cpu/maps.hpp"
#include "dyadic/cpu/rows.hpp"

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};

using extended = long double;
extended logistic(extended x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
extended normal_tail(extended x) { return std::erfc(-x / std::sqrt(extended(2))) / 2; }

extended gelu_exponent(extended x) { return extended(1.59576912160573071176L) * (x + extended(0.044715L) * x * x * x); }
extended normal_exponent(extended x) { return x * x / 2; }
extended gelu_tanh_slope(extended x) {
  if (x > 40) return 1;
  if (x < -40) return 0;
  extended const v = gelu_exponent(x), slope = extended(1.59576912160573071176L) * (1 + extended(0.134145L) * x * x);
  return logistic(v) + x * logistic(v) * logistic(-v) * slope;
}

struct bound {
  double ulps;                ///< units of the last place of the true value
  double absolute = 0;        ///< and in units of epsilon, near roots
  double steps = 1;           ///< and denormal steps
  double per_exponent = 0;    ///< and units of the last place for every unit of the exponent, which is rounded before the exponential
};
struct bounded {
  op kind;
  char const* name;
  extended (*truth)(extended);
  bound in_float, in_double;   ///< of cpu/functions; of the standard library's functions, put together as in expr/ops
  extended (*exponent)(extended) = nullptr;
};
bounded const functions[] = {
    {op::exp, "exp", [](extended x) -> extended { return std::exp(x); }, {1.5}, {2}},
    {op::log, "log", [](extended x) -> extended { return std::log(x); }, {1}, {2}},
    {op::tanh, "tanh", [](extended x) -> extended { return std::tanh(x); }, {3}, {8}},
    {op::sigmoid, "sigmoid", logistic, {3}, {4}},
    {op::silu, "silu", [](extended x) -> extended { return x * logistic(x); }, {3.5}, {5, 0, 400}},
    {op::silu_slope, "silu_slope", [](extended x) -> extended { return logistic(x) * (1 + x * logistic(-x)); }, {6, 2}, {8, 2, 400}},
    {op::sin, "sin", [](extended x) -> extended { return std::sin(x); }, {3}, {4}},
    {op::cos, "cos", [](extended x) -> extended { return std::cos(x); }, {3}, {4}},
    {op::sqrt, "sqrt", [](extended x) -> extended { return std::sqrt(x); }, {1}, {1}},
    {op::rsqrt, "rsqrt", [](extended x) -> extended { return 1 / std::sqrt(x); }, {2}, {2}},
    {op::reciprocal, "reciprocal", [](extended x) -> extended { return 1 / x; }, {1}, {1}},
    {op::softplus, "softplus", [](extended x) -> extended { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }, {2}, {4}},
    {op::erf, "erf", [](extended x) -> extended { return std::erf(x); }, {1.5}, {2}},
    {op::gelu, "gelu", [](extended x) -> extended { return x * normal_tail(x); }, {7.5, 0, 2}, {4, 0, 64, 4}, normal_exponent},
    {op::gelu_slope, "gelu_slope",
     [](extended x) -> extended { return normal_tail(x) + x * std::exp(-x * x / 2) * extended(0.398942280401432677939946L); },
     {4, 2, 2}, {8, 2, 64, 8}, normal_exponent},
    {op::gelu_tanh, "gelu_tanh", [](extended x) -> extended { return x * logistic(gelu_exponent(x)); }, {4, 0, 1, 3}, {5, 0, 400, 4}, gelu_exponent},
    {op::gelu_tanh_slope, "gelu_tanh_slope", gelu_tanh_slope, {5, 2, 1, 3}, {8, 2, 4000, 8}, gelu_exponent},
};

// A NaN must be a NaN, an infinity that infinity; else how far r is from the truth in what the bound allows: at most 1.
template <class T> double share(T r, extended truth, extended x, bounded const& f) {
  if (std::isnan(truth)) return std::isnan(r) ? 0 : 1e30;
  T const nearest = static_cast<T>(truth);
  if (std::isinf(r) || std::isinf(nearest)) return r == nearest ? 0 : 1e30;
  constexpr extended epsilon = std::numeric_limits<T>::epsilon();
  extended const last = truth == 0 ? 0 : std::ldexp(extended(1), std::ilogb(truth)) * epsilon;
  bound const& most = sizeof(T) == 4 ? f.in_float : f.in_double;
  extended const exponent = f.exponent ? std::fabs(f.exponent(x)) : 0;
  extended const allowed = (most.ulps + most.per_exponent * exponent) * last + most.absolute * epsilon +
                           most.steps * std::numeric_limits<T>::denorm_min();
  return static_cast<double>(std::fabs(static_cast<extended>(r) - truth) / allowed);
}

template <class T> std::vector<T> arguments() {
  std::vector<T> x;
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr bits step = sizeof(T) == 4 ? bits(32771) : static_cast<bits>(281474976710677 / 2);
  for (bits b = 0; b <= std::numeric_limits<bits>::max() - step; b += step) x.push_back(std::bit_cast<T>(b));   // all magnitudes
  for (double v = -120; v < 120; v += 1.3e-3) x.push_back(static_cast<T>(v));
  for (double v = -760; v < 720; v += 0.017) x.push_back(static_cast<T>(v));
  T const least = std::numeric_limits<T>::min(), infinite = std::numeric_limits<T>::infinity(), none = std::numeric_limits<T>::quiet_NaN();
  for (T v : {T(0), least, least / 2, std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), infinite, none, T(1e4), T(88),
              T(88.7), T(88.8), T(87), T(87.3), T(100), T(103.9), T(104), T(708), T(709.8), T(745), T(746)}) {
    x.push_back(v);
    x.push_back(-v);
  }
  return x;
}
}  // namespace

TEST_CASE_TEMPLATE("vector functions keep their bounds", T, float, double) {
  std::vector<T> const x = arguments<T>();
  std::vector<T> r(x.size());
  for (bounded const& f : functions) {
    node n;
    n.kind = f.kind;
    n.type = dtype::f32;
    cpu::kernel_of<T>(n)(r.data(), x.data(), nullptr, nullptr, 0, static_cast<std::int64_t>(x.size()));
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      extended const truth = f.truth(static_cast<extended>(x[i]));   // where it is -inf * 0, so are the functions
      double const s = share<T>(r[i], truth, static_cast<extended>(x[i]), f);
      if (x[i] == 0 && !std::isnan(truth)) CHECK(std::signbit(r[i]) == std::signbit(truth));   // sin(-0) = -0
      if (s > worst) { worst = s; at = i; }
    }
    INFO(std::string(f.name), " at ", static_cast<double>(x[at]), " gives ", static_cast<double>(r[at]));
    CHECK(worst <= 1);
    std::vector<T> same = x;   // in place, and any number of elements
    cpu::kernel_of<T>(n)(same.data(), same.data(), nullptr, nullptr, 0, static_cast<std::int64_t>(x.size()));
    bool equal = true;
    for (std::size_t i = 0; i < x.size(); ++i) equal = equal && (same[i] == r[i] || (std::isnan(same[i]) && std::isnan(r[i])));
    CHECK(equal);
  }
}

TEST_CASE("a result does not depend on its position, and nothing is written beyond") {
  std::vector<float> x;
  for (int i = 0; i < 160; ++i) x.push_back(i % 11 == 0 ? -104.0f + static_cast<float>(i) / 2 : std::sin(static_cast<float>(i)) * 12.0f);
  for (bounded const& f : functions) {
    node n;
    n.kind = f.kind;
    n.type = dtype::f32;
    auto const kernel = cpu::kernel_of<float>(n);
    std::vector<float> whole(x.size());
    kernel(whole.data(), x.data(), nullptr, nullptr, 0, static_cast<std::int64_t>(x.size()));
    for (std::size_t count = 0; count <= 67; ++count)
      for (std::size_t from : {std::size_t(0), std::size_t(1), std::size_t(7), std::size_t(50)}) {
        std::vector<float> part(count + 2, 77.0f);
        kernel(part.data() + 1, x.data() + from, nullptr, nullptr, 0, static_cast<std::int64_t>(count));
        bool same = part[0] == 77.0f && part[count + 1] == 77.0f;
        for (std::size_t i = 0; i < count; ++i)
          same = same && (std::bit_cast<std::uint32_t>(part[i + 1]) == std::bit_cast<std::uint32_t>(whole[from + i]) ||
                          (std::isnan(part[i + 1]) && std::isnan(whole[from + i])));
        INFO(std::string(f.name), ": ", count, " from ", from);
        CHECK(same);
      }
  }
}

TEST_CASE("the exponential of softmax in double, down to denormal results") {
  std::vector<double> const x = arguments<double>();
  std::vector<double> r(x.size());
  cpu::detail::exp_rows(r.data(), x.data(), 0.0, static_cast<std::int64_t>(r.size()));
  bounded const f{op::exp, "exp", nullptr, {2}, {2}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const s = share<double>(r[i], std::exp(static_cast<extended>(x[i])), x[i], f);
    if (!(s <= 1)) { INFO(x[i], " gives ", r[i]); CHECK(s <= 1); }
  }
}

TEST_CASE_TEMPLATE("the limits themselves", T, float, double) {
  T const infinite = std::numeric_limits<T>::infinity();
  T const least = std::numeric_limits<T>::denorm_min();
  tensor<axes<seq>, T> const x(shape<axes<seq>>(seq{6}), {infinite, -infinite, T(1e4), T(-1e4), T(-100), least});
  auto const e = eval(exp(x)), s = eval(sigmoid(x)), h = eval(tanh(x)), p = eval(softplus(x)), g = eval(gelu(x)), u = eval(silu(x));
  CHECK((e(0) == infinite && e(1) == 0 && e(2) == infinite && e(3) == 0 && e(5) == 1));
  CHECK((s(0) == 1 && s(1) == 0 && s(2) == 1 && s(3) == 0 && s(5) == T(0.5)));
  CHECK((h(0) == 1 && h(1) == -1 && h(2) == 1 && h(3) == -1 && h(5) == x(5)));
  CHECK((p(0) == infinite && p(1) == 0 && p(2) == T(1e4) && p(3) == 0));
  CHECK((g(2) == T(1e4) && g(3) == 0 && u(2) == T(1e4) && u(3) == 0));
  CHECK(std::fabs(static_cast<double>(s(4)) - std::exp(-100.0)) <= std::numeric_limits<T>::denorm_min());   // 3.7e-44
}

TEST_CASE_TEMPLATE("softmax and logsumexp, down to denormal weights", T, float, double) {
  bool const wide = std::is_same_v<T, double>;
  for (int n : {3, 5, 64, 200}) {
    tensor<axes<batch, seq>, T> x(batch{2}, seq{n});
    for (int i = 0; i < n; ++i) {
      x(0, i) = static_cast<T>((wide ? -760.0 : -110.0) * ((i * 37) % n) / (n - 1));
      x(1, i) = static_cast<T>(std::sin(i + 1.0) * 30 + 1000);
    }
    auto const p = eval(softmax<seq>(x));
    auto const l = eval(logsumexp<seq>(x));
    for (int b = 0; b < 2; ++b) {
      extended most = x(b, 0), total = 0;
      for (int i = 0; i < n; ++i) most = std::max<extended>(most, x(b, i));
      for (int i = 0; i < n; ++i) total += std::exp(static_cast<extended>(x(b, i)) - most);
      constexpr extended epsilon = std::numeric_limits<T>::epsilon(), step = std::numeric_limits<T>::denorm_min();
      CHECK(std::fabs(static_cast<extended>(l(b)) - (most + std::log(total))) <= 2 * epsilon * (std::fabs(most) + 1));
      for (int i = 0; i < n; ++i) {
        extended const d = most - x(b, i), truth = std::exp(-d) / total;
        // x - most is rounded before the exponential: half an ulp of it, relative to the result. The weights are rounded, then scaled.
        CHECK(std::fabs(static_cast<extended>(p(b, i)) - truth) <= (8 + d) * epsilon * truth + 2 * step);
      }
    }
  }
}
