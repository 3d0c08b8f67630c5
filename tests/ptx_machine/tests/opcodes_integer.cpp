// Integer arithmetic against the ISA's definitions, with the extreme values of every width.
#include <limits>

#include "snippet.hpp"

using namespace scripted;

namespace {
template <class T> using limits = std::numeric_limits<T>;
std::vector<i64> const interesting = {0,
                                      1,
                                      -1,
                                      2,
                                      3,
                                      -7,
                                      100,
                                      0x7fff,
                                      -0x8000,
                                      0xffff,
                                      0x12345678,
                                      limits<i32>::max(),
                                      limits<i32>::min(),
                                      0xffffffff,
                                      0x123456789abcdef,
                                      limits<i64>::max(),
                                      limits<i64>::min()};

/// op(a, b) over all pairs of interesting values, in one launch.
template <class T, class R, class Op> void over_pairs(std::string const& text, Op op) {
  snippet<R(T, T)> const f(text);
  std::vector<std::tuple<T, T>> in;
  for (i64 a : interesting)
    for (i64 b : interesting) in.push_back({static_cast<T>(a), static_cast<T>(b)});
  auto const out = f.all(in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    T const a = std::get<0>(in[i]), b = std::get<1>(in[i]);
    CAPTURE(text); CAPTURE(a); CAPTURE(b);
    CHECK(out[i] == static_cast<R>(op(a, b)));
  }
}
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;
}  // namespace

TEST_CASE("add and sub wrap, and saturate where asked") {
  over_pairs<u16, u16>("add.u16 %0, %1, %2;", [](wide a, wide b) { return a + b; });
  over_pairs<i32, i32>("add.s32 %0, %1, %2;", [](wide a, wide b) { return a + b; });
  over_pairs<u64, u64>("add.u64 %0, %1, %2;", [](wide a, wide b) { return a + b; });
  over_pairs<i16, i16>("sub.s16 %0, %1, %2;", [](wide a, wide b) { return a - b; });
  over_pairs<u32, u32>("sub.u32 %0, %1, %2;", [](wide a, wide b) { return a - b; });
  over_pairs<i64, i64>("sub.s64 %0, %1, %2;", [](wide a, wide b) { return a - b; });
  auto const clamp = [](wide x) { return x > limits<i32>::max() ? limits<i32>::max() : x < limits<i32>::min() ? limits<i32>::min() : x; };
  over_pairs<i32, i32>("add.sat.s32 %0, %1, %2;", [&](wide a, wide b) { return clamp(a + b); });
  over_pairs<i32, i32>("sub.sat.s32 %0, %1, %2;", [&](wide a, wide b) { return clamp(a - b); });
}

TEST_CASE("products: low, high and wide") {
  over_pairs<u16, u16>("mul.lo.u16 %0, %1, %2;", [](wide a, wide b) { return a * b; });
  over_pairs<i32, i32>("mul.lo.s32 %0, %1, %2;", [](wide a, wide b) { return a * b; });
  over_pairs<u64, u64>("mul.lo.u64 %0, %1, %2;", [](u64 a, u64 b) { return a * b; });
  over_pairs<u16, u16>("mul.hi.u16 %0, %1, %2;", [](wide a, wide b) { return a * b >> 16; });
  over_pairs<i16, i16>("mul.hi.s16 %0, %1, %2;", [](wide a, wide b) { return a * b >> 16; });
  over_pairs<u32, u32>("mul.hi.u32 %0, %1, %2;", [](wide a, wide b) { return a * b >> 32; });
  over_pairs<i32, i32>("mul.hi.s32 %0, %1, %2;", [](wide a, wide b) { return a * b >> 32; });
  over_pairs<i64, i64>("mul.hi.s64 %0, %1, %2;", [](wide a, wide b) { return a * b >> 64; });
  over_pairs<u64, u64>("mul.hi.u64 %0, %1, %2;", [](u64 a, u64 b) {   // by halves of 32 bits
    u64 const al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    u64 const middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffff);
    return ah * bh + (middle >> 32) + (other >> 32);
  });
  over_pairs<u16, u32>("mul.wide.u16 %0, %1, %2;", [](wide a, wide b) { return a * b; });
  over_pairs<i16, i32>("mul.wide.s16 %0, %1, %2;", [](wide a, wide b) { return a * b; });
  over_pairs<u32, u64>("mul.wide.u32 %0, %1, %2;", [](wide a, wide b) { return a * b; });
  over_pairs<i32, i64>("mul.wide.s32 %0, %1, %2;", [](wide a, wide b) { return a * b; });
  auto const low24 = [](i64 x) { return static_cast<wide>(x & 0x800000 ? (x & 0xffffff) - 0x1000000 : x & 0xffffff); };
  over_pairs<i32, i32>("mul24.lo.s32 %0, %1, %2;", [&](i32 a, i32 b) { return low24(a) * low24(b); });
  over_pairs<i32, i32>("mul24.hi.s32 %0, %1, %2;", [&](i32 a, i32 b) { return low24(a) * low24(b) >> 16; });
  over_pairs<u32, u32>("mul24.hi.u32 %0, %1, %2;", [](u32 a, u32 b) { return wide(a & 0xffffff) * wide(b & 0xffffff) >> 16; });
}

TEST_CASE("mad of every kind") {
  over_pairs<i32, i32>("mad.lo.s32 %0, %1, %2, 77;", [](wide a, wide b) { return a * b + 77; });
  over_pairs<u16, u16>("mad.lo.u16 %0, %1, %2, %1;", [](wide a, wide b) { return a * b + a; });
  over_pairs<u32, u32>("mad.hi.u32 %0, %1, %2, %2;", [](wide a, wide b) { return (a * b >> 32) + b; });
  over_pairs<i64, i64>("mad.lo.s64 %0, %1, %2, -5;", [](i64 a, i64 b) { return u64(a) * u64(b) - 5; });
  over_pairs<u32, u64>("mad.wide.u32 %0, %1, %2, 0xfffffffffffffff0;", [](u64 a, u64 b) { return a * b - 16; });
  over_pairs<i32, i64>("mad.wide.s32 %0, %1, %2, -1;", [](wide a, wide b) { return a * b - 1; });
  over_pairs<u16, u32>("mad.wide.u16 %0, %1, %2, 9;", [](wide a, wide b) { return a * b + 9; });
  over_pairs<i32, i32>("mad.hi.sat.s32 %0, %1, %2, %1;", [](wide a, wide b) {
    wide const x = (a * b >> 32) + a;
    return x > limits<i32>::max() ? limits<i32>::max() : x < limits<i32>::min() ? limits<i32>::min() : x;
  });
  over_pairs<u32, u32>("mad24.lo.u32 %0, %1, %2, 3;", [](u32 a, u32 b) { return wide(a & 0xffffff) * wide(b & 0xffffff) + 3; });
}

TEST_CASE("quotients, remainders, and what the ISA leaves open") {
  auto const safe = [](auto quotient) { return [quotient](wide a, wide b) { return b == 0 ? wide(-1) : quotient(a, b); }; };
  over_pairs<i32, i32>("div.s32 %0, %1, %2;", safe([](wide a, wide b) { return a / b; }));
  over_pairs<u32, u32>("div.u32 %0, %1, %2;", safe([](wide a, wide b) { return a / b; }));
  over_pairs<i64, i64>("div.s64 %0, %1, %2;", safe([](wide a, wide b) { return a / b; }));
  over_pairs<u64, u64>("div.u64 %0, %1, %2;", safe([](wide a, wide b) { return a / b; }));
  over_pairs<i16, i16>("div.s16 %0, %1, %2;", safe([](wide a, wide b) { return a / b; }));
  auto const remainder = [](wide a, wide b) { return b == 0 ? a : a % b; };
  over_pairs<i32, i32>("rem.s32 %0, %1, %2;", remainder);
  over_pairs<u32, u32>("rem.u32 %0, %1, %2;", remainder);
  over_pairs<i64, i64>("rem.s64 %0, %1, %2;", remainder);
  over_pairs<u16, u16>("rem.u16 %0, %1, %2;", remainder);
}

TEST_CASE("neg, abs, min, max, sad") {
  over_pairs<i32, i32>("neg.s32 %0, %1;", [](wide a, wide) { return -a; });
  over_pairs<i16, i16>("neg.s16 %0, %1;", [](wide a, wide) { return -a; });
  over_pairs<i64, i64>("abs.s64 %0, %1;", [](wide a, wide) { return a < 0 ? -a : a; });
  over_pairs<i32, i32>("abs.s32 %0, %1;", [](wide a, wide) { return a < 0 ? -a : a; });
  over_pairs<i32, i32>("min.s32 %0, %1, %2;", [](wide a, wide b) { return a < b ? a : b; });
  over_pairs<u32, u32>("min.u32 %0, %1, %2;", [](wide a, wide b) { return a < b ? a : b; });
  over_pairs<i64, i64>("max.s64 %0, %1, %2;", [](wide a, wide b) { return a > b ? a : b; });
  over_pairs<u16, u16>("max.u16 %0, %1, %2;", [](wide a, wide b) { return a > b ? a : b; });
  over_pairs<i32, i32>("min.relu.s32 %0, %1, %2;", [](wide a, wide b) { return (a < b ? a : b) < 0 ? 0 : a < b ? a : b; });
  over_pairs<i32, i32>("max.relu.s32 %0, %1, %2;", [](wide a, wide b) { return (a > b ? a : b) < 0 ? 0 : a > b ? a : b; });
  over_pairs<u32, u32>("sad.u32 %0, %1, %2, 5;", [](wide a, wide b) { return (a < b ? b - a : a - b) + 5; });
  over_pairs<i32, i32>("sad.s32 %0, %1, %2, 5;", [](wide a, wide b) { return (a < b ? b - a : a - b) + 5; });
}

TEST_CASE("chains of carries make numbers of 128 bits") {
  over_pairs<u64, u64>("mov.b64 {w0, w1}, %1; mov.b64 {w2, w3}, %2; add.cc.u32 w4, w0, w2; addc.u32 w5, w1, w3; mov.b64 %0, {w4, w5};",
                       [](u64 a, u64 b) { return a + b; });
  over_pairs<u64, u64>("mov.b64 {w0, w1}, %1; mov.b64 {w2, w3}, %2; sub.cc.u32 w4, w0, w2; subc.u32 w5, w1, w3; mov.b64 %0, {w4, w5};",
                       [](u64 a, u64 b) { return a - b; });
  // The high half of a + b where both are extended by themselves: what the carry adds.
  over_pairs<u64, u64>("add.cc.u64 q0, %1, %2; addc.u64 %0, %1, %2;", [](wide a, wide b) { return a + b + (a + b > wide(~u64(0))); });
  over_pairs<u64, u64>("sub.cc.u64 q0, %1, %2; subc.u64 %0, 0, 0;", [](wide a, wide b) { return a < b ? -1 : 0; });
  over_pairs<u64, u64>("add.cc.u64 q0, %1, %2; addc.cc.u64 q1, -1, 0; addc.u64 %0, 0, 0;",
                       [](wide a, wide b) { return a + b > wide(~u64(0)); });
  // 32 x 32 bits with 16-bit halves would need three products; a 64-bit product by 32-bit mad does.
  over_pairs<u64, u64>(
      "mov.b64 {w0, w1}, %1; mov.b64 {w2, w3}, %2; mul.lo.u32 w4, w0, w2; mul.hi.u32 w5, w0, w2;"
      "mad.lo.cc.u32 w5, w0, w3, w5; madc.hi.u32 w6, w0, w3, 0; mad.lo.cc.u32 w5, w1, w2, w5; madc.hi.cc.u32 w6, w1, w2, w6; addc.u32 w7, "
      "0, 0;"
      "mad.lo.cc.u32 w6, w1, w3, w6; madc.hi.u32 w7, w1, w3, w7; mov.b64 %0, {w6, w7};",
      [](u64 a, u64 b) { return static_cast<u64>(uwide(a) * b >> 64); });
}

TEST_CASE("dot products of bytes") {
  CHECK(snippet<i32(u32, u32, i32)>("dp4a.s32.s32 %0, %1, %2, %3;")(0xff800102, 0x7fff0304, 10) == 10 - 127 + 128 + 3 + 8);
  CHECK(snippet<u32(u32, u32, u32)>("dp4a.u32.u32 %0, %1, %2, %3;")(0xff800102, 0x7fff0304, 10) == 10 + 255 * 127 + 128 * 255 + 3 + 8);
  CHECK(snippet<i32(u32, u32, i32)>("dp4a.s32.u32 %0, %1, %2, %3;")(0xff000000, 0x80000000, 0) == -128);
  CHECK(snippet<i32(u32, u32, i32)>("dp2a.lo.s32.s32 %0, %1, %2, %3;")(0xffff0003, 0x7f7fff05, 1) == 1 + 15 + 1);
  CHECK(snippet<i32(u32, u32, i32)>("dp2a.hi.s32.s32 %0, %1, %2, %3;")(0xffff0003, 0x7f02ff05, 1) == 1 + 6 - 127);
}

TEST_CASE("two halves of 16 bits at once") {
  CHECK(snippet<u32(u32, u32)>("add.u16x2 %0, %1, %2;")(0xffff8000, 0x00028001) == 0x00010001);
  CHECK(snippet<u32(u32, u32)>("max.s16x2 %0, %1, %2;")(0xffff8000, 0x00027fff) == 0x00027fff);
  CHECK(snippet<u32(u32, u32)>("max.u16x2 %0, %1, %2;")(0xffff8000, 0x00027fff) == 0xffff8000);
  CHECK(snippet<u32(u32, u32)>("min.s16x2 %0, %1, %2;")(0xffff8000, 0x00027fff) == 0xffff8000);
  CHECK(snippet<u32(u32, u32)>("max.relu.s16x2 %0, %1, %2;")(0xffff0005, 0xfff0fff0) == 0x00000005);
}
