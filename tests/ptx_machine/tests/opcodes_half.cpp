// Arithmetic of f16 and bf16 against rounding by search over all their values.
#include <bit>
#include <cmath>

#include "rounding_by_search.hpp"
#include "snippet.hpp"

using namespace scripted;

namespace {

__extension__ typedef __float128 quad;
rounding_by_search const& f16() {
  static rounding_by_search const r(5, 10);
  return r;
}
rounding_by_search const& bf16() {
  static rounding_by_search const r(8, 7);
  return r;
}
double value(rounding_by_search const& format, u16 bits) { return (bits & 0x8000 ? -1 : 1) * format.values().at(bits & 0x7fff); }

std::vector<u16> samples(rounding_by_search const& format, unsigned seed) {
  auto const n = static_cast<u32>(format.values().size());
  std::vector<u16> v = {0,
                        1,
                        2,
                        static_cast<u16>(n - 1),
                        static_cast<u16>(0x8000 + n - 1),
                        0x8001,
                        0x3c00,
                        0x3c01,
                        0x3f80,
                        0x3f81,
                        0xbc00,
                        0x0400,
                        0x03ff,
                        0x8080,
                        0x007f};
  random_source r(seed);
  while (v.size() < 32) v.push_back(static_cast<u16>(r.below(n) | r.below(2) << 15));
  return v;
}

template <class Exact> void check(std::string const& op, Exact exact) {
  for (auto const* format : {&f16(), &bf16()}) {
    std::string const type = format == &f16() ? ".f16" : ".bf16";
    snippet<u16(u16, u16, u16)> const f(op + type + " %0, %1, %2" + (op.starts_with("fma") ? ", %3;" : ";"));
    snippet<u32(u32, u32, u32)> const pairs(op + type + "x2 %0, %1, %2" + (op.starts_with("fma") ? ", %3;" : ";"));
    auto const a = samples(*format, 1), b = samples(*format, 2), c = samples(*format, 3);
    std::vector<std::tuple<u16, u16, u16>> in;
    std::vector<std::tuple<u32, u32, u32>> in_pairs;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) {
        in.push_back({a[i], b[j], c[(i + 3 * j) % c.size()]});
        in_pairs.push_back({a[i] | u32(b[j]) << 16, b[j] | u32(a[i]) << 16, c[j] | u32(c[i]) << 16});
      }
    auto const out = f.all(in);
    auto const out_pairs = pairs.all(in_pairs);
    auto const expect = [&](u16 x, u16 y, u16 z, u16 got) {
      CAPTURE(op); CAPTURE(type); CAPTURE(x); CAPTURE(y); CAPTURE(z); CAPTURE(got);
      quad const r =
          exact(static_cast<quad>(value(*format, x)), static_cast<quad>(value(*format, y)), static_cast<quad>(value(*format, z)));
      if (r == 0) CHECK((got & 0x7fff) == 0);
      else CHECK(got == (*format)(r, "rn"));
    };
    for (std::size_t i = 0; i < in.size(); ++i) {
      expect(std::get<0>(in[i]), std::get<1>(in[i]), std::get<2>(in[i]), out[i]);
      auto const [x, y, z] = in_pairs[i];
      expect(static_cast<u16>(x), static_cast<u16>(y), static_cast<u16>(z), static_cast<u16>(out_pairs[i]));
      expect(static_cast<u16>(x >> 16), static_cast<u16>(y >> 16), static_cast<u16>(z >> 16), static_cast<u16>(out_pairs[i] >> 16));
    }
  }
}

u16 h(double x) { return static_cast<u16>(f16()(static_cast<long double>(x), "rn")); }
u16 b(double x) { return static_cast<u16>(bf16()(static_cast<long double>(x), "rn")); }

}  // namespace

TEST_CASE("16-bit add, sub, mul and fma round once") {
  check("add", [](quad a, quad c, quad) { return a + c; });
  check("sub.rn", [](quad a, quad c, quad) { return a - c; });
  check("mul.rn", [](quad a, quad c, quad) { return a * c; });
  check("fma.rn", [](quad a, quad c, quad d) { return a * c + d; });   // 113 bits; where the sum needs more, none of these is near a tie
}

TEST_CASE("a tie that only the addend's last bit breaks") {
  // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20: far above the tie; but 2048 + 1 is one, and 2^-24 more breaks it.
  snippet<u16(u16, u16, u16)> const fma("fma.rn.f16 %0, %1, %2, %3;");
  CHECK(fma(h(2049.0 / 2048 * 2), h(1024), h(0)) == h(2048));   // 2049 is no f16; 2 * 1024 is
  CHECK(fma(h(3), h(683), 0) == h(2048));                       // 2049 exactly: to even
  CHECK(fma(h(3), h(683), 1) == h(2050));                       // and 2^-24 above
  CHECK(fma(h(3), h(683), 0x8001) == h(2048));
  CHECK(fma(h(3), h(685), 0x8001) == h(2054));                  // 2055 - 2^-24
  snippet<u16(u16, u16, u16)> const brain("fma.rn.bf16 %0, %1, %2, %3;");
  CHECK(brain(b(3), b(43), 0) == b(129));
  CHECK(brain(b(3), b(171), 1) == b(514));                      // 513 is a tie between 512 and 514; 2^-133 above
  CHECK(brain(b(3), b(171), 0) == b(512));
  CHECK(brain(b(3), b(171), 0x8001) == b(512));
}

TEST_CASE("modifiers of 16-bit arithmetic") {
  CHECK(snippet<u16(u16, u16)>("add.sat.f16 %0, %1, %2;")(h(0.75), h(0.75)) == h(1));
  CHECK(snippet<u16(u16, u16)>("sub.sat.f16 %0, %1, %2;")(h(0.25), h(0.75)) == 0);
  CHECK(snippet<u16(u16, u16)>("mul.ftz.f16 %0, %1, %2;")(0x03ff, h(2)) == 0);
  CHECK(snippet<u16(u16, u16)>("mul.f16 %0, %1, %2;")(0x03ff, h(2)) == 0x07fe);
  CHECK(snippet<u16(u16, u16)>("add.f16 %0, %1, %2;")(h(65504), h(65504)) == 0x7c00);
  CHECK(snippet<u16(u16, u16)>("add.f16 %0, %1, %2;")(0x7c00, 0xfc00) == 0x7fff);
  CHECK(snippet<u16(u16, u16)>("add.bf16 %0, %1, %2;")(0x7f80, 0xff80) == 0x7fff);
  CHECK(snippet<u16(u16, u16, u16)>("fma.rn.relu.f16 %0, %1, %2, %3;")(h(-1), h(2), h(1)) == 0);
  CHECK(snippet<u16(u16, u16, u16)>("fma.rn.relu.bf16 %0, %1, %2, %3;")(b(3), b(2), b(1)) == b(7));
  CHECK(snippet<u16(u16, u16, u16)>("fma.rn.relu.bf16 %0, %1, %2, %3;")(0x7fc0, b(2), b(1)) == 0x7fff);
  CHECK(snippet<u32(u32, u32, u32)>("fma.rn.relu.f16x2 %0, %1, %2, %3;")(h(-1) | u32(h(2)) << 16, h(2) | u32(h(3)) << 16,
                                                                         h(1) | u32(h(1)) << 16) == u32(h(7)) << 16);
  CHECK(snippet<u16(u16)>("neg.f16 %0, %1;")(0x0001) == 0x8001);
  CHECK(snippet<u16(u16)>("neg.ftz.f16 %0, %1;")(0x0001) == 0x8000);
  CHECK(snippet<u32(u32)>("abs.bf16x2 %0, %1;")(0xbf80c000) == 0x3f804000);
  CHECK(snippet<u16(u16)>("ex2.approx.f16 %0, %1;")(h(3)) == h(8));
  CHECK(snippet<u16(u16)>("ex2.approx.ftz.bf16 %0, %1;")(b(-3)) == b(0.125));
  CHECK(snippet<u32(u32)>("tanh.approx.f16x2 %0, %1;")(0x7c00fc00) == 0x3c00bc00);
  CHECK(snippet<u16(u16)>("tanh.approx.bf16 %0, %1;")(b(0.5)) == b(std::tanh(0.5)));
}

TEST_CASE("min and max of 16 bits") {
  auto const f = [](char const* op, u16 x, u16 y) { return snippet<u16(u16, u16)>(std::string(op) + " %0, %1, %2;")(x, y); };
  CHECK(f("min.f16", h(-1), h(2)) == h(-1));
  CHECK(f("max.f16", h(-1), h(-2)) == h(-1));
  CHECK(f("min.f16", 0x0000, 0x8000) == 0x8000);
  CHECK(f("max.bf16", 0x8000, 0x0000) == 0x0000);
  CHECK(f("min.f16", 0x7e00, h(2)) == h(2));
  CHECK(f("min.NaN.f16", 0x7e00, h(2)) == 0x7fff);
  CHECK(f("max.bf16", b(1), 0x7fc0) == b(1));
  CHECK(f("max.f16", 0x7e00, 0xfe01) == 0x7fff);
  CHECK(f("min.ftz.f16", 0x8001, h(1)) == 0x8000);
  CHECK(f("max.xorsign.abs.f16", h(-3), h(2)) == h(-3));
  CHECK(f("min.xorsign.abs.bf16", b(-3), b(-2)) == b(2));
  CHECK(snippet<u32(u32, u32)>("max.f16x2 %0, %1, %2;")(h(1) | u32(h(5)) << 16, h(2) | u32(h(-5)) << 16) == (h(2) | u32(h(5)) << 16));
  CHECK(snippet<u32(u32, u32)>("min.NaN.bf16x2 %0, %1, %2;")(b(1) | 0x7fc00000u, b(2) | 0x3f800000u) == (b(1) | 0x7fff0000u));
}
