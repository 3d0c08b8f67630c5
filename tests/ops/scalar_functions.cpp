// The scalar functions that every engine uses, against long double at ordinary and extreme arguments, in float and double.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dyadic/expr/op_table.hpp"

using namespace dyadic;

namespace {

using real = long double;
real logistic(real x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
real normal_density(real x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(real(-1))); }
real normal_tail(real x) { return std::erfc(-x / std::sqrt(real(2))) / 2; }
real const root = std::sqrt(2 / std::acos(real(-1)));
real tanh_argument(real x) { return 2 * root * (x + 0.044715L * x * x * x); }

struct scalar_case {
  char const* name;
  double (*in_double)(double);
  float (*in_float)(float);
  real (*truth)(real);
  double ulps;      ///< allowed error, in units of the last place of the true value
  double lowest = -std::numeric_limits<double>::infinity();
  double absolute = 0;   ///< allowed besides, in units of epsilon: near roots, and where the argument itself is rounded
};

template <op O, class T> T function(T x) { return op_info<O>::apply(x); }
#define DYADIC_SCALAR(name, truth, ...) \
  { #name, &function<op::name, double>, &function<op::name, float>, [](real x) -> real { return truth; }, __VA_ARGS__ }

scalar_case const cases[] = {
    DYADIC_SCALAR(neg, -x, 0),
    DYADIC_SCALAR(exp, std::exp(x), 2),
    DYADIC_SCALAR(log, std::log(x), 2, 0),
    DYADIC_SCALAR(sqrt, std::sqrt(x), 1, 0),
    DYADIC_SCALAR(rsqrt, 1 / std::sqrt(x), 3, 0),
    DYADIC_SCALAR(reciprocal, 1 / x, 1),
    DYADIC_SCALAR(reciprocal_or_zero, x == 0 ? 0 : 1 / x, 1),
    DYADIC_SCALAR(tanh, std::tanh(x), 3),
    DYADIC_SCALAR(sigmoid, logistic(x), 4),
    DYADIC_SCALAR(silu, x * logistic(x), 5),
    DYADIC_SCALAR(silu_slope, logistic(x) * (1 + x * logistic(-x)), 8, -1e300, 2),
    DYADIC_SCALAR(gelu, x * normal_tail(x), 400, -1e300, 1),          // the argument's rounding, times its square
    DYADIC_SCALAR(gelu_slope, normal_tail(x) + x * normal_density(x), 400, -1e300, 2),
    DYADIC_SCALAR(gelu_tanh, x * logistic(tanh_argument(x)), 400, -1e300, 1),
    DYADIC_SCALAR(gelu_tanh_slope,
                  logistic(tanh_argument(x)) +
                      x * logistic(tanh_argument(x)) * logistic(-tanh_argument(x)) * 2 * root * (1 + 3 * 0.044715L * x * x),
                  400, -1e300, 4),
    DYADIC_SCALAR(relu, x > 0 ? x : 0, 0),
    DYADIC_SCALAR(squared_relu, x > 0 ? x * x : 0, 1),
    DYADIC_SCALAR(softplus, x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)), 4),
    DYADIC_SCALAR(sin, std::sin(x), 2),
    DYADIC_SCALAR(cos, std::cos(x), 2),
    DYADIC_SCALAR(erf, std::erf(x), 3),
    DYADIC_SCALAR(abs, std::abs(x), 0),
    DYADIC_SCALAR(sign, real(x > 0) - real(x < 0), 0),
    DYADIC_SCALAR(floor, std::floor(x), 0),
    DYADIC_SCALAR(stop_gradient, x, 0),
    DYADIC_SCALAR(probe, x, 0),
    DYADIC_SCALAR(spread, x, 0),
};
#undef DYADIC_SCALAR

template <class T> std::vector<T> arguments() {
  std::vector<T> r;
  for (double x : {0.0, 1e-3, 0.1, 0.5, 0.75, 1.0, 1.2784645, 2.0, 3.0, 5.5, 9.0, 16.0, 20.0, 36.0, 39.5, 41.0, 87.0, 88.0, 89.0, 1e2, 7e2,
                   1e3, 1e4}) {
    r.push_back(static_cast<T>(x));
    r.push_back(static_cast<T>(-x));
  }
  using limits = std::numeric_limits<T>;
  for (T x : {limits::denorm_min(), limits::min() / 2, limits::min(), limits::epsilon()}) {
    r.push_back(x);
    r.push_back(-x);
  }
  return r;
}

template <class T> void check(scalar_case const& c, T (*f)(T)) {
  for (T x : arguments<T>()) {
    if (static_cast<double>(x) < c.lowest) continue;
    real const truth = c.truth(static_cast<real>(x));
    T const y = f(x), rounded = static_cast<T>(truth);
    CAPTURE(std::string(c.name));
    CAPTURE(sizeof(T));
    CAPTURE(static_cast<double>(x));
    if (!std::isfinite(rounded)) { CHECK((y == rounded || std::abs(y) > std::numeric_limits<T>::max() / 2)); continue; }
    REQUIRE(std::isfinite(y));
    real const ulp = std::max<real>(std::abs(truth) * std::numeric_limits<T>::epsilon(), std::numeric_limits<T>::denorm_min());
    real const grain = 128 * static_cast<real>(std::numeric_limits<T>::denorm_min());   // a product with a denormal factor
    real const allowed = static_cast<real>(c.ulps) * ulp + grain + static_cast<real>(c.absolute) * std::numeric_limits<T>::epsilon();
    CHECK(static_cast<double>(std::abs(static_cast<real>(y) - truth) / ulp) <= static_cast<double>(allowed / ulp));
  }
}

}  // namespace

TEST_CASE("scalar functions are finite and right wherever the true value is finite") {
  for (scalar_case const& c : cases) {
    check<double>(c, c.in_double);
    check<float>(c, c.in_float);
  }
}

TEST_CASE("largest finite arguments give no NaN") {
  for (scalar_case const& c : cases) {
    CAPTURE(std::string(c.name));
    for (double x : {1e300, -1e300, 1e155, -1e155, 1e20, -1e20}) if (x >= c.lowest) CHECK_FALSE(std::isnan(c.in_double(x)));
    for (float x : {1e38f, -1e38f, 1e20f, -1e20f}) if (static_cast<double>(x) >= c.lowest) CHECK_FALSE(std::isnan(c.in_float(x)));
  }
}

TEST_CASE("NaN stays NaN") {
  double const nan = std::nan("");
  for (scalar_case const& c : cases)
    if (std::string(c.name) != "sign") { CAPTURE(std::string(c.name)); CHECK(std::isnan(c.in_double(nan))); }
  CHECK(std::isnan(op_info<op::minimum>::apply(nan, 1.0)));
  CHECK(std::isnan(op_info<op::minimum>::apply(1.0, nan)));
  CHECK(std::isnan(op_info<op::maximum>::apply(nan, 1.0)));
  CHECK(std::isnan(op_info<op::maximum>::apply(1.0, nan)));
  CHECK(std::isnan(op_info<op::clamp>::apply(nan, 0.0, 1.0)));
}

TEST_CASE("functions of two and three values") {
  CHECK(op_info<op::add>::apply(1.5, 2.0) == 3.5);
  CHECK(op_info<op::sub>::apply(1.5, 2.0) == -0.5);
  CHECK(op_info<op::mul>::apply(1.5, 2.0) == 3);
  CHECK(op_info<op::div>::apply(3.0, 2.0) == 1.5);
  CHECK(op_info<op::minimum>::apply(3.0f, 2.0f) == 2);
  CHECK(op_info<op::maximum>::apply(3.0f, 2.0f) == 3);
  CHECK(op_info<op::power>::apply(2.0, 0.5) == std::sqrt(2.0));
  CHECK(op_info<op::power>::apply(0.0, 0.0) == 1);
  CHECK(op_info<op::power>::apply(-2.0, 3.0) == -8);
  struct { double x, y, r; } const remainders[] = {{7, 3, 1}, {-7, 3, 2}, {7, -3, -2}, {-7, -3, -1}, {6, 3, 0},
                                                   {-6, 3, 0}, {5.5, 2, 1.5}, {0, 4, 0}, {1e15, 7, 6}};
  for (auto const& c : remainders) CHECK(op_info<op::modulo>::apply(c.x, c.y) == c.r);
  CHECK(op_info<op::less>::apply(1.0, 2.0) == 1);
  CHECK(op_info<op::less>::apply(2.0, 2.0) == 0);
  CHECK(op_info<op::less_equal>::apply(2.0, 2.0) == 1);
  CHECK(op_info<op::equal>::apply(2.0, 2.0) == 1);
  CHECK(op_info<op::equal>::apply(2.0, 3.0) == 0);
  CHECK(op_info<op::select>::apply(1.0, 2.0, 3.0) == 2);
  CHECK(op_info<op::select>::apply(0.0, 2.0, 3.0) == 3);
  CHECK(op_info<op::clamp>::apply(5.0, 0.0, 1.0) == 1);
  CHECK(op_info<op::clamp>::apply(-5.0, 0.0, 1.0) == 0);
  CHECK(op_info<op::clamp>::apply(0.25, 0.0, 1.0) == 0.25);
  CHECK(op_info<op::clamp>::apply(0.5, 2.0, 1.0) == 1);   // the upper bound wins where they cross
}

TEST_CASE("cast") {
  auto const cast_to = [](auto x, dtype t) { return op_info<op::cast>::apply(x, t); };
  CHECK(cast_to(2.9, dtype::i32) == 2);
  CHECK(cast_to(-2.9, dtype::i32) == -2);
  CHECK(cast_to(1e20, dtype::i32) == 2147483647.0);
  CHECK(cast_to(-1e20, dtype::i32) == -2147483648.0);
  CHECK(cast_to(std::nan(""), dtype::i32) == 0);
  CHECK(cast_to(-0.1, dtype::boolean) == 1);
  CHECK(cast_to(0.0, dtype::boolean) == 0);
  CHECK(cast_to(0.1, dtype::f32) == 0.1);
  // bf16: 8 significant bits, ties to even
  CHECK(cast_to(1.0 + 1.0 / 256, dtype::bf16) == 1);
  CHECK(cast_to(1.0 + 3.0 / 256, dtype::bf16) == 1.0 + 4.0 / 256);
  CHECK(cast_to(1.0 + 1.0 / 256 + 1e-12, dtype::bf16) == 1.0 + 2.0 / 256);   // one rounding, not by way of float
  CHECK(cast_to(1e39, dtype::bf16) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(cast_to(std::nan(""), dtype::bf16)));
  CHECK(std::isnan(cast_to(std::nanf(""), dtype::bf16)));
  for (float x : {1.0f, -3.1415926f, 1e-40f, -1e-39f, 3.3e38f, 3.4e38f, 0.0f, 1.00390625f, 1.01171875f, 65535.0f}) {
    CAPTURE(x);
    CHECK(static_cast<double>(cast_to(x, dtype::bf16)) == cast_to(static_cast<double>(x), dtype::bf16));
  }
}
