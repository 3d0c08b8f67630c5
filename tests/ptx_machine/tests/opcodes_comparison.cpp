// setp, set, selp, slct: every comparison on every kind of operand, ordered and unordered, combined with a predicate.
#include <cmath>
#include <limits>

#include "snippet.hpp"

using namespace scripted;

namespace {
template <class T> bool truth(std::string const& op, T a, T b) {
  bool const unordered = a != a || b != b;
  if (op == "num") return !unordered;
  if (op == "nan") return unordered;
  bool const or_unordered = op.size() == 3;
  if (unordered) return or_unordered;
  std::string const o = op.substr(0, 2);
  if (o == "eq") return a == b;
  if (o == "ne") return a != b;
  if (o == "lt" || o == "lo") return a < b;
  if (o == "le" || o == "ls") return a <= b;
  if (o == "gt" || o == "hi") return a > b;
  return a >= b;   // ge, hs
}
template <class T> void check(std::string const& type, std::vector<std::string> const& ops, std::vector<T> const& values) {
  for (std::string const& op : ops) {
    snippet<bool(T, T)> const f("setp." + op + "." + type + " %0, %1, %2;");
    for (T a : values)
      for (T b : values) {
        CAPTURE(op); CAPTURE(type); CAPTURE(a); CAPTURE(b);
        CHECK(f(a, b) == truth(op, a, b));
      }
  }
}
}  // namespace

TEST_CASE("comparisons of numbers") {
  std::vector<std::string> const all = {"eq", "ne", "lt", "le", "gt", "ge"}, unsigned_only = {"lo", "ls", "hi", "hs"},
                                 floats = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  check<i32>("s32", all, {0, -1, 5, std::numeric_limits<i32>::min()});
  check<u32>("u32", all, {0, 1, 0xffffffff});
  check<u32>("u32", unsigned_only, {0, 1, 0xffffffff});
  check<u64>("u64", unsigned_only, {0, 1, ~u64(0)});
  check<i64>("s64", all, {0, -1, i64(1) << 40});
  check<u16>("u16", all, {0, 0xffff});
  check<u32>("b32", {"eq", "ne"}, {0, 1});
  check<float>("f32", floats, {0.0f, -0.0f, 1.0f, -2.0f, INFINITY, NAN});
  check<double>("f64", floats, {0.0, 1.0, -INFINITY, NAN});
}

TEST_CASE("comparisons of 16-bit floats, alone and in pairs") {
  snippet<bool(u16, u16)> const lt("setp.lt.f16 %0, %1, %2;"), geu("setp.geu.bf16 %0, %1, %2;");
  CHECK(lt(0xbc00, 0x3c00));
  CHECK(!lt(0x3c00, 0x7e00));
  CHECK(!lt(0x8000, 0x0000));
  CHECK(geu(0x7fc0, 0x3f80));
  CHECK(!geu(0x3f80, 0x4000));
  CHECK(snippet<bool(u16, u16)>("setp.eq.ftz.f16 %0, %1, %2;")(0x0001, 0x8002));
  snippet<u32(u32, u32)> const pair("setp.gt.f16x2 p0|p1, %1, %2; selp.u32 w0, 1, 0, p0; selp.u32 w1, 2, 0, p1; or.b32 %0, w0, w1;");
  CHECK(pair(0x3c004000, 0x40003c00) == 1);
  CHECK(pair(0x40003c00, 0x3c004000) == 2);
}

TEST_CASE("combined with a predicate, and the complement in a second one") {
  for (std::string const how : {"and", "or", "xor"})
    for (bool p : {false, true})
      for (bool negated : {false, true})
        for (i32 a : {1, 2}) {
          std::string const c = negated ? "!%2" : "%2";
          bool const x = a < 2, q = p != negated;
          auto const combined = [&](bool y) { return how == "and" ? y && q : how == "or" ? y || q : y != q; };
          CAPTURE(how); CAPTURE(p); CAPTURE(negated); CAPTURE(a);
          CHECK(snippet<bool(i32, bool)>("setp.lt." + how + ".s32 %0, %1, 2, " + c + ";")(a, p) == combined(x));
          CHECK(snippet<bool(i32, bool)>("setp.lt." + how + ".s32 p0|%0, %1, 2, " + c + ";")(a, p) == combined(!x));
          CHECK(snippet<u32(i32, bool)>("set.lt." + how + ".u32.s32 %0, %1, 2, " + c + ";")(a, p) == (combined(x) ? 0xffffffff : 0));
        }
  CHECK(!snippet<bool(i32)>("setp.lt.s32 p0|%0, %1, 2;")(1));
}

TEST_CASE("set, selp, slct") {
  CHECK(snippet<float(float, float)>("set.gt.f32.f32 %0, %1, %2;")(2, 1) == 1);
  CHECK(snippet<float(float, float)>("set.gt.f32.f32 %0, %1, %2;")(1, 1) == 0);
  CHECK(snippet<u32(float, float)>("set.neu.u32.f32 %0, %1, %2;")(NAN, 1) == 0xffffffff);
  CHECK(snippet<u16(u16, u16)>("set.lt.f16.f16 %0, %1, %2;")(0, 0x3c00) == 0x3c00);
  CHECK(snippet<u32(u32, u32)>("set.gt.f16x2.f16x2 %0, %1, %2;")(0x3c000000, 0) == 0x3c000000);
  CHECK(snippet<u32(u32, u32)>("set.le.u32.bf16x2 %0, %1, %2;")(0x3f800000, 0) == 0x0000ffff);
  CHECK(snippet<i32(bool)>("selp.s32 %0, 5, -6, %1;")(true) == 5);
  CHECK(snippet<i32(bool)>("selp.s32 %0, 5, -6, %1;")(false) == -6);
  CHECK(snippet<double(double, double, bool)>("selp.f64 %0, %1, %2, %3;")(1, 2, false) == 2);
  CHECK(snippet<u32(i32)>("slct.u32.s32 %0, 1, 2, %1;")(0) == 1);
  CHECK(snippet<u32(i32)>("slct.u32.s32 %0, 1, 2, %1;")(-1) == 2);
  CHECK(snippet<u64(float)>("slct.u64.f32 %0, 1, 2, %1;")(-0.0f) == 1);
  CHECK(snippet<u64(float)>("slct.u64.f32 %0, 1, 2, %1;")(NAN) == 2);
  CHECK(snippet<float(float)>("slct.ftz.f32.f32 %0, 0f3F800000, 0f40000000, %1;")(-0x1p-130f) == 1);
}
