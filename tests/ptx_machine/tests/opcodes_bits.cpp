// Logic, shifts and fields of bits against the ISA's definitions.
#include <bit>

#include "snippet.hpp"

using namespace scripted;

TEST_CASE("logic") {
  u32 const a = 0xf0f01234, b = 0xcccc5678;
  CHECK(snippet<u32(u32, u32)>("and.b32 %0, %1, %2;")(a, b) == (a & b));
  CHECK(snippet<u32(u32, u32)>("or.b32 %0, %1, %2;")(a, b) == (a | b));
  CHECK(snippet<u32(u32, u32)>("xor.b32 %0, %1, %2;")(a, b) == (a ^ b));
  CHECK(snippet<u32(u32)>("not.b32 %0, %1;")(a) == ~a);
  CHECK(snippet<u64(u64)>("not.b64 %0, %1;")(a) == ~u64(a));
  CHECK(snippet<u16(u16)>("not.b16 %0, %1;")(0x00ff) == 0xff00);
  CHECK(snippet<u32(u32)>("cnot.b32 %0, %1;")(0) == 1);
  CHECK(snippet<u32(u32)>("cnot.b32 %0, %1;")(8) == 0);
  for (bool x : {false, true}) {
    CHECK(snippet<bool(bool)>("not.pred %0, %1;")(x) == !x);
    for (bool y : {false, true}) {
      CHECK(snippet<bool(bool, bool)>("and.pred %0, %1, %2;")(x, y) == (x && y));
      CHECK(snippet<bool(bool, bool)>("or.pred %0, %1, %2;")(x, y) == (x || y));
      CHECK(snippet<bool(bool, bool)>("xor.pred %0, %1, %2;")(x, y) == (x != y));
    }
  }
}

TEST_CASE("lop3 does what its table says, for every table") {
  u32 const a = 0xf0f0aaaa, b = 0xcccc5555, c = 0x12345678;
  for (unsigned table = 0; table < 256; table += table < 16 ? 1 : 7) {
    u32 expected = 0;
    for (unsigned k = 0; k < 32; ++k) expected |= (table >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
    CHECK(snippet<u32(u32, u32, u32)>("lop3.b32 %0, %1, %2, %3, " + std::to_string(table) + ";")(a, b, c) == expected);
  }
  // The ISA's way to write a table: 0xf0, 0xcc and 0xaa for a, b and c.
  CHECK(snippet<u32(u32, u32, u32)>("lop3.b32 %0, %1, %2, %3, 0xEA;")(a, b, c) == ((a & b) | c));
}

TEST_CASE("shifts clamp") {
  for (u32 n : {0u, 1u, 15u, 16u, 31u, 32u, 33u, 63u, 64u, 255u, 0xffffffffu}) {
    CAPTURE(n);
    CHECK(snippet<u32(u32, u32)>("shl.b32 %0, %1, %2;")(0x80000001, n) == (n > 31 ? 0 : 0x80000001u << n));
    CHECK(snippet<u64(u64, u32)>("shl.b64 %0, %1, %2;")(0x8000000000000001, n) == (n > 63 ? 0 : 0x8000000000000001u << n));
    CHECK(snippet<u16(u16, u32)>("shl.b16 %0, %1, %2;")(0x8001, n) == static_cast<u16>(n > 15 ? 0 : 0x8001u << n));
    CHECK(snippet<u32(u32, u32)>("shr.u32 %0, %1, %2;")(0x80000001, n) == (n > 31 ? 0 : 0x80000001u >> n));
    CHECK(snippet<u32(u32, u32)>("shr.b32 %0, %1, %2;")(0x80000001, n) == (n > 31 ? 0 : 0x80000001u >> n));
    CHECK(snippet<i32(i32, u32)>("shr.s32 %0, %1, %2;")(-12345, n) == (n > 31 ? -1 : -12345 >> n));
    CHECK(snippet<i64(i64, u32)>("shr.s64 %0, %1, %2;")(-123456789012, n) == (n > 63 ? -1 : -123456789012 >> n));
    CHECK(snippet<i16(i16, u32)>("shr.s16 %0, %1, %2;")(-300, n) == static_cast<i16>(n > 15 ? -1 : -300 >> n));
    u64 const both = 0x89abcdef01234567;   // b:a of a funnel
    u32 const wrap = n & 31, clamp = n > 32 ? 32 : n;
    auto const low = static_cast<u32>(both), high = static_cast<u32>(both >> 32);
    CHECK(snippet<u32(u32, u32, u32)>("shf.l.wrap.b32 %0, %1, %2, %3;")(low, high, n) == static_cast<u32>((both << wrap) >> 32));
    CHECK(snippet<u32(u32, u32, u32)>("shf.r.wrap.b32 %0, %1, %2, %3;")(low, high, n) == static_cast<u32>(both >> wrap));
    CHECK(snippet<u32(u32, u32, u32)>("shf.l.clamp.b32 %0, %1, %2, %3;")(low, high, n) == static_cast<u32>((both << clamp) >> 32));
    CHECK(snippet<u32(u32, u32, u32)>("shf.r.clamp.b32 %0, %1, %2, %3;")(low, high, n) == static_cast<u32>(both >> clamp));
  }
}

TEST_CASE("counting bits") {
  CHECK(snippet<u32(u32)>("popc.b32 %0, %1;")(0xf00f0001) == 9);
  CHECK(snippet<u32(u64)>("popc.b64 %0, %1;")(0xf00f000100000001) == 10);
  CHECK(snippet<u32(u32)>("clz.b32 %0, %1;")(0) == 32);
  CHECK(snippet<u32(u32)>("clz.b32 %0, %1;")(0x00ffffff) == 8);
  CHECK(snippet<u32(u64)>("clz.b64 %0, %1;")(0) == 64);
  CHECK(snippet<u32(u64)>("clz.b64 %0, %1;")(1) == 63);
  CHECK(snippet<u32(u32)>("bfind.u32 %0, %1;")(0) == 0xffffffff);
  CHECK(snippet<u32(u32)>("bfind.u32 %0, %1;")(0x00010001) == 16);
  CHECK(snippet<u32(i32)>("bfind.s32 %0, %1;")(-1) == 0xffffffff);
  CHECK(snippet<u32(i32)>("bfind.s32 %0, %1;")(-256) == 7);          // the highest 0 of a negative number
  CHECK(snippet<u32(i64)>("bfind.s64 %0, %1;")(i64(1) << 40) == 40);
  CHECK(snippet<u32(u32)>("bfind.shiftamt.u32 %0, %1;")(0x00010001) == 15);
  CHECK(snippet<u32(u32)>("bfind.shiftamt.u32 %0, %1;")(0) == 0xffffffff);
  CHECK(snippet<u32(u64)>("bfind.shiftamt.u64 %0, %1;")(1) == 63);
  CHECK(snippet<u32(u32)>("brev.b32 %0, %1;")(0x00000103) == 0xc0800000);
  CHECK(snippet<u64(u64)>("brev.b64 %0, %1;")(0x103) == 0xc080000000000000);
  snippet<u32(u32, u32, u32)> const fns("fns.b32 %0, %1, %2, %3;");
  CHECK(fns(0xaaaaaaaa, 0, 1) == 1);
  CHECK(fns(0xaaaaaaaa, 3, 0) == 3);
  CHECK(fns(0xaaaaaaaa, 2, 0) == 0xffffffff);
  CHECK(fns(0xaaaaaaaa, 3, 2) == 5);
  CHECK(fns(0xaaaaaaaa, 16, static_cast<u32>(-2)) == 13);
  CHECK(fns(0x8, 0, 2) == 0xffffffff);
}

TEST_CASE("fields of bits") {
  snippet<u32(u32, u32, u32)> const unsigned_field("bfe.u32 %0, %1, %2, %3;");
  snippet<i32(i32, u32, u32)> const signed_field("bfe.s32 %0, %1, %2, %3;");
  CHECK(unsigned_field(0x12345678, 8, 12) == 0x456);
  CHECK(unsigned_field(0x12345678, 8, 0) == 0);
  CHECK(unsigned_field(0xf2345678, 28, 8) == 0xf);         // past the top come zeros
  CHECK(unsigned_field(0x12345678, 40, 4) == 0);
  CHECK(unsigned_field(0x12345678, 0x104, 0x108) == 0x67);   // only the low bytes of position and length count
  CHECK(signed_field(0x00000f00, 8, 4) == -1);
  CHECK(signed_field(0x00000700, 8, 4) == 7);
  CHECK(signed_field(static_cast<i32>(0xf2345678), 28, 8) == -1);   // past the top comes the sign
  CHECK(signed_field(-1, 40, 4) == -1);
  CHECK(signed_field(-1, 3, 0) == 0);
  CHECK(snippet<u64(u64, u32, u32)>("bfe.u64 %0, %1, %2, %3;")(0x123456789abcdef0, 36, 12) == 0x567);
  CHECK(snippet<i64(i64, u32, u32)>("bfe.s64 %0, %1, %2, %3;")(i64(0x8) << 36, 36, 4) == -8);
  snippet<u32(u32, u32, u32, u32)> const insert("bfi.b32 %0, %1, %2, %3, %4;");
  CHECK(insert(0xabc, 0x12345678, 8, 12) == 0x123abc78);
  CHECK(insert(0xabc, 0x12345678, 8, 0) == 0x12345678);
  CHECK(insert(0xabc, 0x12345678, 24, 12) == 0xbc345678);
  CHECK(insert(0xabc, 0x12345678, 32, 12) == 0x12345678);
  CHECK(snippet<u64(u64, u64, u32, u32)>("bfi.b64 %0, %1, %2, %3, %4;")(0xf, 0, 60, 8) == 0xf000000000000000);
  snippet<u32(u32, u32)> const mask("bmsk.clamp.b32 %0, %1, %2;");
  CHECK(mask(4, 8) == 0xff0);
  CHECK(mask(28, 8) == 0xf0000000);
  CHECK(mask(0, 40) == 0xffffffff);
  CHECK(mask(33, 4) == 0);
  CHECK(snippet<u32(u32, u32)>("bmsk.wrap.b32 %0, %1, %2;")(36, 33) == 0x10);
  CHECK(snippet<u32(u32, u32)>("szext.clamp.u32 %0, %1, %2;")(0xffff, 4) == 0xf);
  CHECK(snippet<i32(u32, u32)>("szext.clamp.s32 %0, %1, %2;")(0x8, 4) == -8);
  CHECK(snippet<i32(u32, u32)>("szext.clamp.s32 %0, %1, %2;")(0xff, 0) == 0);
  CHECK(snippet<u32(u32, u32)>("szext.wrap.u32 %0, %1, %2;")(0xffff, 36) == 0xf);
  CHECK(snippet<u32(u32, u32)>("szext.clamp.u32 %0, %1, %2;")(0xabcdef01, 99) == 0xabcdef01);
}

TEST_CASE("prmt picks bytes of b:a") {
  u32 const a = 0x83828180, b = 0x07060504;   // bytes 0 to 3 are 80 81 82 83, bytes 4 to 7 are 04 05 06 07
  auto const pick = [&](char const* mode, u32 c) {
    return snippet<u32(u32, u32, u32)>(std::string("prmt.b32") + mode + " %0, %1, %2, %3;")(a, b, c);
  };
  CHECK(pick("", 0x3210) == a);
  CHECK(pick("", 0x7654) == b);
  CHECK(pick("", 0x0527) == 0x80058207);
  CHECK(pick("", 0xb8f4) == 0xffff0004);   // the top bit of a nibble asks for the sign: of 83, 80, 07
  CHECK(pick(".f4e", 1) == 0x04838281);
  CHECK(pick(".f4e", 0) == a);
  CHECK(pick(".b4e", 1) == 0x06078081);
  CHECK(pick(".rc8", 2) == 0x82828282);
  CHECK(pick(".ecl", 2) == 0x83828282);
  CHECK(pick(".ecr", 1) == 0x81818180);
  CHECK(pick(".rc16", 0) == 0x81808180);
  CHECK(pick(".rc16", 1) == 0x83828382);
  CHECK(pick(".rc16", 2) == 0x81808180);
}
