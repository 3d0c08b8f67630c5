// cvt and mov: every pair of formats against rounding by search, clamping, NaN, sign extension, packing.
#include <bit>
#include <cmath>
#include <limits>

#include "rounding_by_search.hpp"
#include "snippet.hpp"

using namespace scripted;

namespace {
std::vector<float> floats_around(std::vector<double> const& values) {   // values, ties between them, and what lies next to ties
  std::vector<float> v;
  for (std::size_t i = 0; i + 1 < values.size(); i += 1 + i / 7) {
    auto const low = static_cast<float>(values[i]), tie = static_cast<float>((values[i] + values[i + 1]) / 2);
    for (float x : {low, tie, std::nextafter(tie, INFINITY), std::nextafter(tie, 0.0f)}) v.insert(v.end(), {x, -x});
  }
  return v;
}
}  // namespace

TEST_CASE("f32 to f16 and bf16 in all roundings") {
  struct format { char const* name; int exponent_bits, mantissa_bits; };
  for (format const f : {format{"f16", 5, 10}, {"bf16", 8, 7}}) {
    rounding_by_search const search(f.exponent_bits, f.mantissa_bits);
    auto in = floats_around(search.values());
    in.insert(in.end(), {1e38f, 65519.99f, 65520.0f, -65520.0f, 3.39e38f, 0x1.fffffep127f, 1e-45f, -1e-45f});
    for (std::string const mode : {"rn", "rz"}) {
      std::vector<std::tuple<float>> operands;
      for (float x : in) operands.push_back({x});
      operands.resize(std::min<std::size_t>(operands.size(), 1024));
      auto const out = snippet<u16(float)>("cvt." + mode + "." + f.name + ".f32 %0, %1;").all(operands);
      for (std::size_t i = 0; i < operands.size(); ++i) {
        float const x = std::get<0>(operands[i]);
        CAPTURE(f.name); CAPTURE(mode); CAPTURE(x);
        CHECK((out[i] & 0x7fff) == (search(static_cast<long double>(std::fabs(x)), mode)));
        CHECK((out[i] >> 15) == std::signbit(x));
      }
    }
    for (float x : {INFINITY, -INFINITY})
      CHECK(snippet<u16(float)>(std::string("cvt.rn.") + f.name + ".f32 %0, %1;")(x) == ((x < 0 ? 0x8000 : 0) | search.values().size()));
    CHECK(snippet<u16(float)>(std::string("cvt.rn.") + f.name + ".f32 %0, %1;")(-NAN) == 0x7fff);
  }
  rounding_by_search const half_values(5, 10);
  for (std::string const mode : {"rm", "rp"})   // the others are for f16 alone
    for (double x : {1.0001, -1.0001, 70000.0, -70000.0, 1e-9, -1e-9})
      CHECK(snippet<u16(double)>("cvt." + mode + ".f16.f64 %0, %1;")(x) == half_values(static_cast<long double>(x), mode));
}

TEST_CASE("wider floats are exact, narrower ones round") {
  rounding_by_search const half_values(5, 10);
  for (u16 bits : {u16(0), u16(1), u16(0x3ff), u16(0x400), u16(0x3c00), u16(0x7bff)}) {
    CHECK(snippet<float(u16)>("cvt.f32.f16 %0, %1;")(bits) == static_cast<float>(half_values.values()[bits]));
    CHECK(snippet<double(u16)>("cvt.f64.f16 %0, %1;")(bits) == half_values.values()[bits]);
  }
  CHECK(snippet<float(u16)>("cvt.f32.bf16 %0, %1;")(0xc0a0) == -5);
  CHECK(std::isinf(snippet<float(u16)>("cvt.f32.f16 %0, %1;")(0xfc00)));
  CHECK(snippet<double(float)>("cvt.f64.f32 %0, %1;")(0.1f) == 0.1f);
  CHECK(snippet<float(double)>("cvt.rn.f32.f64 %0, %1;")(1 + 0x1p-24) == 1);
  CHECK(snippet<float(double)>("cvt.rn.f32.f64 %0, %1;")(1 + 0x1p-24 + 0x1p-50) == 1 + 0x1p-23f);
  CHECK(snippet<float(double)>("cvt.rp.f32.f64 %0, %1;")(1 + 0x1p-50) == 1 + 0x1p-23f);
  CHECK(snippet<float(double)>("cvt.rm.f32.f64 %0, %1;")(-1 - 0x1p-50) == -1 - 0x1p-23f);
  CHECK(snippet<float(double)>("cvt.rz.f32.f64 %0, %1;")(1e300) == 0x1.fffffep127f);
  CHECK(snippet<float(double)>("cvt.rn.f32.f64 %0, %1;")(1e300) == INFINITY);
  CHECK(snippet<float(float)>("cvt.sat.f32.f32 %0, %1;")(1.5f) == 1);
  CHECK(snippet<float(float)>("cvt.sat.f32.f32 %0, %1;")(NAN) == 0);
  CHECK(snippet<float(float)>("cvt.ftz.f32.f32 %0, %1;")(0x1p-130f) == 0);
  struct whole { char const* mode; float x, y; };
  for (whole const w : {whole{"rni", 2.5f, 2},
                        {"rni", 3.5f, 4},
                        {"rni", -0.5f, -0.0f},
                        {"rzi", -2.7f, -2},
                        {"rmi", -2.2f, -3},
                        {"rpi", 2.2f, 3},
                        {"rpi", -0.5f, -0.0f}}) {
    float const y = snippet<float(float)>(std::string("cvt.") + w.mode + ".f32.f32 %0, %1;")(w.x);
    CHECK(y == w.y);
    CHECK(std::signbit(y) == std::signbit(w.y));
    CHECK(snippet<double(double)>(std::string("cvt.") + w.mode + ".f64.f64 %0, %1;")(w.x) == w.y);
  }
}

TEST_CASE("floats to integers clamp; NaN is 0, or 2^63 where 64 bits take part") {
  CHECK(snippet<i32(float)>("cvt.rni.s32.f32 %0, %1;")(2.5f) == 2);
  CHECK(snippet<i32(float)>("cvt.rzi.s32.f32 %0, %1;")(-2.9f) == -2);
  CHECK(snippet<i32(float)>("cvt.rmi.s32.f32 %0, %1;")(-2.1f) == -3);
  CHECK(snippet<i32(float)>("cvt.rpi.s32.f32 %0, %1;")(2.1f) == 3);
  CHECK(snippet<i32(float)>("cvt.rzi.s32.f32 %0, %1;")(3e9f) == 0x7fffffff);
  CHECK(snippet<i32(float)>("cvt.rzi.s32.f32 %0, %1;")(-3e9f) == std::numeric_limits<i32>::min());
  CHECK(snippet<u32(float)>("cvt.rzi.u32.f32 %0, %1;")(-1) == 0);
  CHECK(snippet<u32(float)>("cvt.rzi.u32.f32 %0, %1;")(4e9f) == 4000000000u);
  CHECK(snippet<u32(float)>("cvt.rzi.u32.f32 %0, %1;")(5e9f) == 0xffffffff);
  CHECK(snippet<i32(float)>("cvt.rzi.s32.f32 %0, %1;")(NAN) == 0);
  CHECK(snippet<i64(float)>("cvt.rzi.s64.f32 %0, %1;")(NAN) == std::numeric_limits<i64>::min());
  CHECK(snippet<u64(double)>("cvt.rzi.u64.f64 %0, %1;")(NAN) == u64(1) << 63);
  CHECK(snippet<i32(double)>("cvt.rzi.s32.f64 %0, %1;")(NAN) == std::numeric_limits<i32>::min());
  CHECK(snippet<i64(double)>("cvt.rni.s64.f64 %0, %1;")(-0x1p62) == -(i64(1) << 62));
  CHECK(snippet<i64(double)>("cvt.rni.s64.f64 %0, %1;")(1e19) == std::numeric_limits<i64>::max());
  CHECK(snippet<u64(double)>("cvt.rzi.u64.f64 %0, %1;")(1.5e19) == u64(15000000000000000000u));
  CHECK(snippet<u64(double)>("cvt.rzi.u64.f64 %0, %1;")(2e19) == ~u64(0));
  CHECK(snippet<u16(float)>("cvt.rzi.u16.f32 %0, %1;")(70000) == 0xffff);
  CHECK(snippet<i16(float)>("cvt.rzi.s16.f32 %0, %1;")(-70000) == -32768);
  CHECK(snippet<i32(float)>("cvt.rzi.s8.f32 %0, %1;")(-200) == -128);   // to a wider register with its sign
  CHECK(snippet<i32(u16)>("cvt.rni.s32.f16 %0, %1;")(0x4100) == 2);     // 2.5
  CHECK(snippet<i32(float)>("cvt.rzi.ftz.s32.f32 %0, %1;")(0x1p-130f) == 0);
  CHECK(snippet<i32(float)>("cvt.rpi.s32.f32 %0, %1;")(0x1p-130f) == 1);
}

TEST_CASE("integers to floats") {
  CHECK(snippet<float(i32)>("cvt.rn.f32.s32 %0, %1;")(16777217) == 16777216.0f);
  CHECK(snippet<float(i32)>("cvt.rp.f32.s32 %0, %1;")(16777217) == 16777218.0f);
  CHECK(snippet<float(i32)>("cvt.rz.f32.s32 %0, %1;")(-16777219) == -16777218.0f);
  CHECK(snippet<float(u32)>("cvt.rn.f32.u32 %0, %1;")(0xffffffff) == 0x1p32f);
  CHECK(snippet<float(u64)>("cvt.rm.f32.u64 %0, %1;")(~u64(0)) == 0x1.fffffep63f);
  CHECK(snippet<float(u64)>("cvt.rn.f32.u64 %0, %1;")(0x8000008000000001) == 0x1.000002p63f);   // just above a tie
  CHECK(snippet<float(i64)>("cvt.rn.f32.s64 %0, %1;")(-i64(0x4000004000000001)) == -0x1.000002p62f);
  CHECK(snippet<double(i64)>("cvt.rn.f64.s64 %0, %1;")(0x20000000000001) == 0x20000000000000);
  CHECK(snippet<double(i64)>("cvt.rp.f64.s64 %0, %1;")(0x20000000000001) == 0x20000000000002);
  CHECK(snippet<double(u64)>("cvt.rm.f64.u64 %0, %1;")(~u64(0)) == 0x1.fffffffffffffp63);
  CHECK(snippet<double(u64)>("cvt.rn.f64.u64 %0, %1;")(~u64(0)) == 0x1p64);
  CHECK(snippet<double(i32)>("cvt.rn.f64.s32 %0, %1;")(-7) == -7);
  CHECK(snippet<float(i16)>("cvt.rn.f32.s16 %0, %1;")(-300) == -300);
  CHECK(snippet<float(u32)>("cvt.rn.f32.u8 %0, %1;")(0x1ff) == 255);    // the low byte alone
  CHECK(snippet<float(u32)>("cvt.rn.f32.s8 %0, %1;")(0x1ff) == -1);
  CHECK(snippet<u16(i32)>("cvt.rn.f16.s32 %0, %1;")(2049) == 0x6800);   // 2048
  CHECK(snippet<u16(u64)>("cvt.rn.f16.u64 %0, %1;")(65519) == 0x7bff);
  CHECK(snippet<u16(u64)>("cvt.rn.f16.u64 %0, %1;")(65520) == 0x7c00);
  CHECK(snippet<u16(i32)>("cvt.rn.bf16.s32 %0, %1;")(-257) == 0xc380);  // -256
}

TEST_CASE("integers to integers: cut, extended, clamped") {
  CHECK(snippet<u64(u32)>("cvt.u64.u32 %0, %1;")(0xffffffff) == 0xffffffff);
  CHECK(snippet<i64(i32)>("cvt.s64.s32 %0, %1;")(-5) == -5);
  CHECK(snippet<u64(i32)>("cvt.u64.s32 %0, %1;")(-5) == u64(-5));
  CHECK(snippet<u32(u64)>("cvt.u32.u64 %0, %1;")(0x123456789) == 0x23456789);
  CHECK(snippet<u32(u32)>("cvt.s32.s8 %0, %1;")(0x80) == 0xffffff80);
  CHECK(snippet<u32(u32)>("cvt.s8.s32 %0, %1;")(0x180) == 0xffffff80);   // a signed result goes to the register's top
  CHECK(snippet<u32(u32)>("cvt.u8.u32 %0, %1;")(0x180) == 0x80);
  CHECK(snippet<u16(u32)>("cvt.u16.u32 %0, %1;")(0x12345) == 0x2345);
  CHECK(snippet<u32(i32)>("cvt.sat.u8.s32 %0, %1;")(-3) == 0);
  CHECK(snippet<u32(i32)>("cvt.sat.u8.s32 %0, %1;")(300) == 255);
  CHECK(snippet<i32(i32)>("cvt.sat.s8.s32 %0, %1;")(-300) == -128);
  CHECK(snippet<i32(u32)>("cvt.sat.s32.u32 %0, %1;")(0xffffffff) == 0x7fffffff);
  CHECK(snippet<u32(i64)>("cvt.sat.u32.s64 %0, %1;")(-1) == 0);
}

TEST_CASE("two f32 to a pair, tf32") {
  CHECK(snippet<u32(float, float)>("cvt.rn.f16x2.f32 %0, %1, %2;")(1, -2) == 0x3c00c000);   // the first is the high half
  CHECK(snippet<u32(float, float)>("cvt.rn.bf16x2.f32 %0, %1, %2;")(1, -2) == 0x3f80c000);
  CHECK(snippet<u32(float, float)>("cvt.rz.bf16x2.f32 %0, %1, %2;")(1.999f, 0x1.fffffep127f) == 0x3fff7f7f);
  CHECK(snippet<u32(float, float)>("cvt.rn.relu.bf16x2.f32 %0, %1, %2;")(-1, NAN) == 0x00007fff);
  CHECK(snippet<u32(float, float)>("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;")(1e9f, -INFINITY) == 0x7bfffbff);
  CHECK(snippet<u16(float)>("cvt.rn.relu.f16.f32 %0, %1;")(-1) == 0);
  CHECK(snippet<u16(float)>("cvt.rn.satfinite.bf16.f32 %0, %1;")(0x1.fffffep127f) == 0x7f7f);
  CHECK(snippet<u32(float)>("cvt.rna.tf32.f32 %0, %1;")(1 + 0x1p-11f) == 0x3f802000);   // ties go away from 0
  CHECK(snippet<u32(float)>("cvt.rna.tf32.f32 %0, %1;")(-1 - 0x1p-11f) == 0xbf802000);
  CHECK(snippet<u32(float)>("cvt.rn.tf32.f32 %0, %1;")(1 + 0x1p-11f) == 0x3f800000);
  CHECK(snippet<u32(float)>("cvt.rz.tf32.f32 %0, %1;")(-1 - 0x1.8p-11f) == 0xbf800000);
  CHECK(snippet<u32(float)>("cvt.rn.satfinite.tf32.f32 %0, %1;")(0x1.fffffep127f) == 0x7f7fe000);
  CHECK(snippet<u32(float)>("cvt.rn.relu.tf32.f32 %0, %1;")(-3) == 0);
}

TEST_CASE("mov packs and unpacks") {
  CHECK(snippet<u32(u16, u16)>("mov.b32 %0, {%1, %2};")(0x1234, 0xabcd) == 0xabcd1234);
  CHECK(snippet<u64(u32, u32)>("mov.b64 %0, {%1, %2};")(1, 2) == 0x200000001);
  CHECK(snippet<u64(u16, u16)>("mov.b64 %0, {%1, %2, %2, %1};")(1, 2) == 0x0001000200020001);
  CHECK(snippet<u16(u64)>("mov.b64 {h0, h1, %0, h2}, %1;")(0x4444333322221111) == 0x3333);
  CHECK(snippet<u32(u64)>("mov.b64 {_, %0}, %1;")(0x4444333322221111) == 0x44443333);
  CHECK(snippet<float(float)>("mov.f32 %0, %1;")(-3) == -3);
  CHECK(snippet<float()>("mov.f32 %0, 0fBF800000;")() == -1);
  CHECK(snippet<double()>("mov.f64 %0, 0d3FF8000000000000;")() == 1.5);
  CHECK(snippet<double()>("mov.f64 %0, -2.5e-1;")() == -0.25);
  CHECK(snippet<i32()>("mov.u32 %0, -17;")() == -17);
  CHECK(snippet<bool(bool)>("mov.pred %0, %1;")(true));
}
