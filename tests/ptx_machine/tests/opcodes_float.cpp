// Arithmetic of f32 and f64 in all roundings. Expected values come from exact arithmetic in 113 bits and the definition of each rounding.
#include <bit>
#include <cmath>
#include <limits>

#include "snippet.hpp"

using namespace scripted;

namespace {

__extension__ typedef __float128 quad;

template <class T> bool same(T a, T b) {   // NaN equals NaN; -0 and +0 differ
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// The value of T that a rounding picks: `above(x)` tells whether the exact result is greater than x, `below(x)` whether it is less.
template <class T, class Above, class Below> T directed(T near, std::string const& mode, Above above, Below below) {
  T const inf = std::numeric_limits<T>::infinity();
  bool const up = mode == "rp" || (mode == "rz" && (std::signbit(near) || near == -inf)),
             down = mode == "rm" || (mode == "rz" && !std::signbit(near));
  if (mode == "rn") return near;
  if (up && above(near)) return std::nextafter(near, inf);
  if (down && below(near)) return std::nextafter(near, -inf);
  return near;
}
template <class T> T rounded_exact(quad exact, std::string const& mode) {
  T const near = static_cast<T>(exact);   // to nearest even
  return directed(near, mode, [&](T x) { return exact > static_cast<quad>(x); }, [&](T x) { return exact < static_cast<quad>(x); });
}

template <class T> std::vector<T> samples();
template <> std::vector<float> samples<float>() {
  std::vector<float> v = {0.0f,          -0.0f, 1.0f, -1.0f, 1.5f,    0x1p-126f, -0x1p-126f, 0x1p-149f, 0x1.fffffep127f, -0x1.fffffep127f,
                          0x1.000002p0f, 3.0f,  0.1f, -0.3f, 0x1p-20f};
  random_source r(5);
  for (int i = 0; i < 25; ++i)
    v.push_back(std::ldexp(1.0f + static_cast<float>(r.below(1 << 23)) / (1 << 23), static_cast<int>(r.below(60)) - 30) *
                (i % 2 ? 1.0f : -1.0f));
  return v;
}
template <> std::vector<double> samples<double>() {
  std::vector<double> v = {0.0, -0.0, 1.0, -1.0, 1.5, 0x1.0000000000001p0, 3.0, 0.1, -0.3, 0x1p-20, 0x1.fffffffffffffp10};
  random_source r(6);
  for (int i = 0; i < 25; ++i)
    v.push_back(std::ldexp(1 + (r.below(1 << 30) + r.below(1 << 22) / 4194304.0) / (1 << 30), static_cast<int>(r.below(40)) - 20) *
                (i % 2 ? 1 : -1));
  return v;
}

template <class T, class Exact> void check_pairs(std::string const& op, Exact exact) {
  std::string const type = sizeof(T) == 4 ? ".f32" : ".f64";
  for (std::string const mode : {"rn", "rz", "rm", "rp"}) {
    snippet<T(T, T)> const f(op + "." + mode + type + " %0, %1, %2;");
    std::vector<std::tuple<T, T>> in;
    for (T a : samples<T>())
      for (T b : samples<T>())
        if (in.size() < 1024) in.push_back({a, b});
    auto const out = f.all(in);
    for (std::size_t i = 0; i < in.size(); ++i) {
      T const a = std::get<0>(in[i]), b = std::get<1>(in[i]), expected = exact(a, b, mode);
      if (expected == 0 && out[i] == 0) continue;   // the signs of zeros: below
      CAPTURE(op); CAPTURE(mode); CAPTURE(a); CAPTURE(b); CAPTURE(expected); CAPTURE(out[i]);
      CHECK(same(out[i], expected));
    }
  }
}

/// a + b: exact in 113 bits unless the exponents lie far apart. Then the smaller number only says on which side of the larger the sum is.
template <class T> T rounded_sum(T a, T b, std::string const& mode) {
  T const large = std::fabs(a) < std::fabs(b) ? b : a, small = std::fabs(a) < std::fabs(b) ? a : b;
  if (small == 0 || std::ilogb(large) - std::ilogb(small) < 55) return rounded_exact<T>(static_cast<quad>(a) + static_cast<quad>(b), mode);
  bool const up = mode == "rp" || (mode == "rz" && large < 0), down = mode == "rm" || (mode == "rz" && large > 0);
  T const inf = std::numeric_limits<T>::infinity();
  return up && small > 0 ? std::nextafter(large, inf) : down && small < 0 ? std::nextafter(large, -inf) : large;
}

template <class T> void check_arithmetic() {
  check_pairs<T>("add", [](T a, T b, std::string const& m) { return rounded_sum(a, b, m); });
  check_pairs<T>("sub", [](T a, T b, std::string const& m) { return rounded_sum(a, -b, m); });
  check_pairs<T>("mul", [](T a, T b, std::string const& m) { return rounded_exact<T>(static_cast<quad>(a) * static_cast<quad>(b), m); });
  check_pairs<T>("div", [](T a, T b, std::string const& m) {
    if (b == 0) return a == 0 ? static_cast<T>(NAN) : static_cast<T>(std::signbit(a) == std::signbit(b) ? INFINITY : -INFINITY);
    T const near = static_cast<T>(static_cast<quad>(a) / static_cast<quad>(b));
    quad const up = b > 0 ? 1 : -1;   // a / b > x exactly where a b^-1 ... : x b < a for b > 0
    return directed(near, m, [&](T x) { return (static_cast<quad>(a) - static_cast<quad>(x) * b) * up > 0; },
                    [&](T x) { return (static_cast<quad>(a) - static_cast<quad>(x) * b) * up < 0; });
  });
}

}  // namespace

TEST_CASE("f32: add, sub, mul, div in all roundings") { check_arithmetic<float>(); }
TEST_CASE("f64: add, sub, mul, div in all roundings") { check_arithmetic<double>(); }

TEST_CASE("fma, rcp, sqrt in all roundings") {
  for (std::string const mode : {"rn", "rz", "rm", "rp"}) {
    CAPTURE(mode);
    snippet<float(float, float, float)> const f("fma." + mode + ".f32 %0, %1, %2, %3;");
    snippet<double(double, double, double)> const g("fma." + mode + ".f64 %0, %1, %2, %3;");
    snippet<float(float, float, float)> const mad("mad." + mode + ".f32 %0, %1, %2, %3;");
    std::vector<std::tuple<float, float, float>> in;
    std::vector<std::tuple<double, double, double>> wide;
    auto const s = samples<float>();
    auto const t = samples<double>();
    for (std::size_t i = 0; i < 1000; ++i) {
      float const a = s[(i * 7 + 9) % s.size()], b = s[(i * 11 + 20) % s.size()];
      in.push_back({a, b, i % 3 ? -(a * b) * (1 + static_cast<float>(i % 5) * 0x1p-22f) : s[i % s.size()]});
      double const c = t[(i * 7 + 3) % t.size()], d = t[(i * 5 + 1) % t.size()];
      wide.push_back({c, d, -(c * d)});   // what the rounding of the product lost
    }
    auto const out = f.all(in), out_mad = mad.all(in);
    auto const out_wide = g.all(wide);
    for (std::size_t i = 0; i < in.size(); ++i) {
      auto const [a, b, c] = in[i];
      quad const product = static_cast<quad>(a) * b;
      if (std::isfinite(c) &&
          (product == 0 || std::fabs(std::log2(std::fabs(static_cast<double>(product))) - std::log2(std::fabs(c))) < 60)) {
        float const expected = rounded_exact<float>(product + c, mode);
        CAPTURE(i);
        if (expected != 0) CHECK(same(out[i], expected));
        CHECK(same(out_mad[i], out[i]));
      }
      quad const exact = static_cast<quad>(std::get<0>(wide[i])) * std::get<1>(wide[i]) + std::get<2>(wide[i]);
      if (exact != 0) CHECK(same(out_wide[i], rounded_exact<double>(exact, mode)));
    }
    for (float a : s) {
      CAPTURE(a);
      if (a != 0) {
        float const near = 1 / a;
        quad const sign = a > 0 ? 1 : -1;
        CHECK(same(snippet<float(float)>("rcp." + mode + ".f32 %0, %1;")(a),
                   directed(
                       near, mode, [&](float x) { return (1 - static_cast<quad>(x) * a) * sign > 0; },
                       [&](float x) { return (1 - static_cast<quad>(x) * a) * sign < 0; })));
      }
      float const m = std::fabs(a);
      CHECK(same(snippet<float(float)>("sqrt." + mode + ".f32 %0, %1;")(m),
                 directed(
                     std::sqrt(m), mode, [&](float x) { return static_cast<quad>(x) * x < m; },
                     [&](float x) { return static_cast<quad>(x) * x > m; })));
      double const d = m;
      CHECK(same(snippet<double(double)>("sqrt." + mode + ".f64 %0, %1;")(d),
                 directed(
                     std::sqrt(d), mode, [&](double x) { return static_cast<quad>(x) * x < d; },
                     [&](double x) { return static_cast<quad>(x) * x > d; })));
    }
  }
  CHECK(std::isnan(snippet<float(float)>("sqrt.rn.f32 %0, %1;")(-1)));
  CHECK(same(snippet<float(float)>("sqrt.rn.f32 %0, %1;")(-0.0f), -0.0f));
  CHECK(snippet<float(float)>("rcp.rn.f32 %0, %1;")(-0.0f) == -INFINITY);
}

TEST_CASE("zeros, infinities and NaN") {
  CHECK(same(snippet<float(float, float)>("add.f32 %0, %1, %2;")(1, -1), 0.0f));
  CHECK(same(snippet<float(float, float)>("add.rm.f32 %0, %1, %2;")(1, -1), -0.0f));   // downwards an exact 0 is negative
  CHECK(same(snippet<float(float, float)>("mul.f32 %0, %1, %2;")(-0.0f, 3), -0.0f));
  snippet<std::uint32_t(float, float)> const add("add.f32 %0, %1, %2;"), mul("mul.f32 %0, %1, %2;");
  CHECK(add(INFINITY, -INFINITY) == 0x7fffffff);   // the one NaN of f32 results
  CHECK(mul(0, INFINITY) == 0x7fffffff);
  CHECK(add(std::bit_cast<float>(0xffc12345u), 1) == 0x7fffffff);
  CHECK(std::isnan(snippet<double(double, double)>("add.f64 %0, %1, %2;")(INFINITY, -INFINITY)));
  // Overflow: to infinity, or to the greatest number where the rounding points back.
  float const most = 0x1.fffffep127f;
  CHECK(snippet<float(float)>("add.rn.f32 %0, %1, %1;")(most) == INFINITY);
  CHECK(snippet<float(float)>("add.rz.f32 %0, %1, %1;")(most) == most);
  CHECK(snippet<float(float)>("add.rm.f32 %0, %1, %1;")(most) == most);
  CHECK(snippet<float(float)>("add.rm.f32 %0, %1, %1;")(-most) == -INFINITY);
}

TEST_CASE(".ftz flushes subnormals going in and coming out, .sat clamps to [0, 1]") {
  float const tiny = 0x1p-130f;
  CHECK(same(snippet<float(float, float)>("add.ftz.f32 %0, %1, %2;")(tiny, tiny), 0.0f));
  CHECK(same(snippet<float(float, float)>("add.ftz.f32 %0, %1, %2;")(-tiny, -tiny), -0.0f));
  CHECK(snippet<float(float, float)>("add.f32 %0, %1, %2;")(tiny, tiny) == 2 * tiny);
  CHECK(same(snippet<float(float, float)>("mul.ftz.f32 %0, %1, %2;")(0x1p-100f, -0x1p-40f), -0.0f));
  CHECK(snippet<float(float, float)>("mul.ftz.f32 %0, %1, %2;")(0x1p-130f, 0x1p100f) == 0);
  CHECK(snippet<float(float, float)>("add.sat.f32 %0, %1, %2;")(0.7f, 0.7f) == 1);
  CHECK(same(snippet<float(float, float)>("sub.sat.f32 %0, %1, %2;")(0.5f, 0.7f), 0.0f));
  CHECK(same(snippet<float(float, float)>("mul.rz.sat.f32 %0, %1, %2;")(NAN, 1), 0.0f));
  CHECK(snippet<float(float, float, float)>("fma.rn.ftz.sat.f32 %0, %1, %2, %3;")(0.25f, 0.5f, 0.25f) == 0.375f);
  CHECK(same(snippet<float(float)>("neg.ftz.f32 %0, %1;")(tiny), -0.0f));
  CHECK(snippet<float(float)>("neg.f32 %0, %1;")(tiny) == -tiny);
  CHECK(snippet<float(float)>("abs.ftz.f32 %0, %1;")(-3) == 3);
  CHECK(snippet<double(double)>("abs.f64 %0, %1;")(-3) == 3);
  CHECK(same(snippet<double(double)>("neg.f64 %0, %1;")(0), -0.0));
}

TEST_CASE("two f32 at once") {
  auto const halves = [](std::uint64_t x) {
    return std::pair(std::bit_cast<float>(static_cast<std::uint32_t>(x)), std::bit_cast<float>(static_cast<std::uint32_t>(x >> 32)));
  };
  CHECK(halves(snippet<std::uint64_t(float, float)>("mov.b64 q0, {%1, %2}; mov.b64 q1, {%2, %2}; add.rn.f32x2 %0, q0, q1;", "sm_100")(
            1, 4)) == std::pair(5.0f, 8.0f));
  CHECK(halves(snippet<std::uint64_t(float, float)>("mov.b64 q0, {%1, %2}; mul.rz.ftz.f32x2 %0, q0, q0;", "sm_100")(3, 0x1p-70f)) ==
        std::pair(9.0f, 0.0f));
  CHECK(halves(snippet<std::uint64_t(float, float)>("mov.b64 q0, {%1, %2}; fma.rp.f32x2 %0, q0, q0, q0;", "sm_100")(3, 0x1.000002p0f)) ==
        std::pair(12.0f, 0x1.000004p1f));
}

TEST_CASE("min, max and copysign") {
  auto const f = [](char const* op, float a, float b) { return snippet<float(float, float)>(std::string(op) + ".f32 %0, %1, %2;")(a, b); };
  CHECK(f("min", 1, 2) == 1);
  CHECK(f("max", 1, 2) == 2);
  CHECK(f("min", NAN, 2) == 2);
  CHECK(f("max", 1, NAN) == 1);
  CHECK(std::isnan(f("max", NAN, NAN)));
  CHECK(std::isnan(f("min.NaN", NAN, 2)));
  CHECK(f("max.NaN", 1, 2) == 2);
  CHECK(same(f("min", 0.0f, -0.0f), -0.0f));
  CHECK(same(f("max", -0.0f, 0.0f), 0.0f));
  CHECK(same(f("max", 0.0f, -0.0f), 0.0f));
  CHECK(same(f("min.ftz", -0x1p-130f, 1), -0.0f));
  CHECK(f("max.xorsign.abs", -3, 2) == -3);
  CHECK(f("max.xorsign.abs", -3, -4) == 4);
  CHECK(f("min.xorsign.abs", -3, -4) == 3);
  CHECK(f("min.NaN.xorsign.abs", 3, -2) == -2);
  CHECK(snippet<double(double, double)>("min.f64 %0, %1, %2;")(NAN, 2) == 2);
  CHECK(same(snippet<double(double, double)>("max.f64 %0, %1, %2;")(-0.0, 0.0), 0.0));
  CHECK(snippet<float(float, float, float)>("max.f32 %0, %1, %2, %3;")(1, 5, 3) == 5);
  CHECK(snippet<float(float, float, float)>("min.f32 %0, %1, %2, %3;")(1, NAN, 3) == 1);
  CHECK(f("copysign", -1, 3) == -3);   // the sign of the first
  CHECK(f("copysign", 1, -3) == 3);
  CHECK(snippet<double(double, double)>("copysign.f64 %0, %1, %2;")(-0.0, 3) == -3);
}

TEST_CASE("functions that devices approximate: special values of the ISA, and near the truth elsewhere") {
  auto const f = [](std::string const& op, float x) { return snippet<float(float)>(op + " %0, %1;")(x); };
  struct known { std::string op; float x, y; };
  for (known const& k : {known{"rcp.approx.f32", -INFINITY, -0.0f},
                        {"rcp.approx.f32", 0, INFINITY},
                        {"rcp.approx.ftz.f32", -0x1p-130f, -INFINITY},
                        {"rcp.approx.f32", 4, 0.25f},
                        {"sqrt.approx.f32", -0.0f, -0.0f},
                        {"sqrt.approx.f32", 9, 3},
                        {"rsqrt.approx.f32", 0, INFINITY},
                        {"rsqrt.approx.f32", -0.0f, -INFINITY},
                        {"rsqrt.approx.f32", INFINITY, 0},
                        {"rsqrt.approx.f32", 0.25f, 2},
                        {"lg2.approx.f32", 0, -INFINITY},
                        {"lg2.approx.f32", INFINITY, INFINITY},
                        {"lg2.approx.f32", 8, 3},
                        {"lg2.approx.ftz.f32", 0x1p-130f, -INFINITY},
                        {"lg2.approx.f32", 0x1p-130f, -130},
                        {"ex2.approx.f32", -INFINITY, 0},
                        {"ex2.approx.f32", 10, 1024},
                        {"ex2.approx.ftz.f32", -130, 0},
                        {"ex2.approx.f32", -130, 0x1p-130f},
                        {"ex2.approx.f32", -0.0f, 1},
                        {"sin.approx.f32", -0.0f, -0.0f},
                        {"cos.approx.f32", 0, 1},
                        {"tanh.approx.f32", -INFINITY, -1},
                        {"tanh.approx.f32", -0.0f, -0.0f}}) {
    CAPTURE(k.op); CAPTURE(k.x);
    CHECK(same(f(k.op, k.x), k.y));
  }
  for (char const* op : {"sqrt.approx.f32", "rsqrt.approx.f32", "lg2.approx.f32"}) CHECK(std::isnan(f(op, -1)));
  for (char const* op : {"sin.approx.f32", "cos.approx.f32"}) CHECK(std::isnan(f(op, INFINITY)));
  for (float x : {0.3f, 1.7f, 2.9f}) {
    CHECK(f("sin.approx.f32", x) == doctest::Approx(std::sin(x)).epsilon(1e-6));
    CHECK(f("cos.approx.ftz.f32", x) == doctest::Approx(std::cos(x)).epsilon(1e-6));
    CHECK(f("tanh.approx.f32", x) == doctest::Approx(std::tanh(x)).epsilon(1e-6));
    CHECK(f("ex2.approx.f32", x) == doctest::Approx(std::pow(2, x)).epsilon(1e-6));
    CHECK(f("rsqrt.approx.ftz.f32", x) == doctest::Approx(1 / std::sqrt(x)).epsilon(1e-6));
  }
  auto const div = [](char const* op, float a, float b) { return snippet<float(float, float)>(std::string(op) + " %0, %1, %2;")(a, b); };
  CHECK(div("div.full.f32", 1, 3) == 1.0f / 3);
  CHECK(div("div.approx.f32", 1, 3) == doctest::Approx(1.0 / 3).epsilon(1e-6));
  CHECK(same(div("div.approx.f32", -5, 0x1p127f), -0.0f));   // between 2^126 and 2^128: 0, or NaN for infinity
  CHECK(std::isnan(div("div.approx.f32", INFINITY, 0x1p127f)));
  CHECK(div("div.full.f32", 0x1p127f, 0x1p126f) == 2);
  CHECK(div("div.approx.ftz.f32", 1, -0x1p-130f) == -INFINITY);
  CHECK(snippet<double(double)>("rcp.approx.ftz.f64 %0, %1;")(4) == 0.25);
  double const coarse = snippet<double(double)>("rsqrt.approx.f64 %0, %1;")(3);
  CHECK(coarse == doctest::Approx(1 / std::sqrt(3)).epsilon(1e-5));
  CHECK((std::bit_cast<std::uint64_t>(coarse) & 0xffffffff) == 0);
}

TEST_CASE("testp") {
  auto const f = [](char const* what, float x) { return snippet<bool(float)>(std::string("testp.") + what + ".f32 %0, %1;")(x); };
  CHECK(f("finite", 1)); CHECK(!f("finite", INFINITY)); CHECK(!f("finite", NAN));
  CHECK(f("infinite", -INFINITY)); CHECK(!f("infinite", NAN));
  CHECK(f("number", INFINITY)); CHECK(!f("number", NAN));
  CHECK(f("notanumber", NAN)); CHECK(!f("notanumber", 1));
  CHECK(f("normal", 1)); CHECK(f("normal", 0)); CHECK(!f("normal", 0x1p-130f)); CHECK(!f("normal", INFINITY));
  CHECK(f("subnormal", 0x1p-130f)); CHECK(!f("subnormal", 0)); CHECK(!f("subnormal", 1));
  CHECK(snippet<bool(double)>("testp.subnormal.f64 %0, %1;")(0x1p-1050));
}
