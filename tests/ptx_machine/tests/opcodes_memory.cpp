// ld, st, atom, red, cvta, isspacep, cp.async: spaces, vectors, signs, every operation of the atomics.
#include <bit>
#include <cmath>

#include "snippet.hpp"

using namespace scripted;

TEST_CASE("loads extend, stores cut") {
  std::string const put = "mov.u32 w0, scratch; st.shared.b32 [w0], %1; ";
  CHECK(snippet<u32(u32)>(put + "ld.shared.u8 %0, [w0+3];")(0x87654321) == 0x87);
  CHECK(snippet<u32(u32)>(put + "ld.shared.s8 %0, [w0+3];")(0x87654321) == 0xffffff87);
  CHECK(snippet<u64(u32)>(put + "ld.shared.s16 %0, [w0+2];")(0x87654321) == 0xffffffffffff8765);
  CHECK(snippet<u16(u32)>(put + "ld.shared.s8 %0, [w0+3];")(0x87654321) == 0xff87);
  CHECK(snippet<u64(u32)>(put + "ld.shared.s32 %0, [w0];")(0x87654321) == 0xffffffff87654321);
  CHECK(snippet<u64(u32)>(put + "ld.shared.u32 %0, [w0];")(0x87654321) == 0x87654321);
  CHECK(snippet<u32(u32)>(put + "st.shared.u8 [scratch+1], 0x155; ld.shared.b32 %0, [scratch];")(0x87654321) == 0x87655521);
  CHECK(snippet<u32(u32)>(put + "st.shared.u16 [w0+2], h0; ld.shared.u16 %0, [w0];")(0x87654321) == 0x4321);
  CHECK(snippet<u32(u32)>(put + "add.u32 w0, w0, 8; ld.shared.b32 %0, [w0-8];")(7) == 7);
  CHECK(snippet<u32(u32)>(put + "add.u32 w0, w0, 8; ld.shared.b32 %0, [w0+-8];")(7) == 7);
}

TEST_CASE("vectors of every shape") {
  std::string const fill = "mov.u32 w0, scratch; st.shared.v4.b32 [w0], {%1, 2, 3, 4}; st.shared.v2.b64 [w0+16], {5, -6}; ";
  CHECK(snippet<u32(u32)>(
            fill +
            "ld.shared.v4.u32 {w1, w2, w3, w4}, [w0]; mad.lo.u32 w1, w2, 10, w1; mad.lo.u32 w1, w3, 100, w1; mad.lo.u32 %0, w4, 1000, w1;")(
            1) == 4321);
  CHECK(snippet<u64(u32)>(fill + "ld.shared.v2.u64 {q0, q1}, [w0+16]; add.u64 %0, q0, q1;")(1) == u64(-1));
  CHECK(snippet<u16(u32)>(fill + "ld.shared.v4.u16 {h0, h1, h2, h3}, [w0]; sub.u16 %0, h2, h0;")(9) == u16(2 - 9));
  CHECK(snippet<u32(u32)>(fill + "ld.shared.v4.s8 {w1, _, w3, w4}, [w0]; add.u32 %0, w1, w4;")(0x80000085) == u32(-0x7b - 0x80));
}

TEST_CASE("vectors of 32 bytes") {
  program p(
      ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry copy(.param .u64 in, .param .u64 out) {\n.reg .b32 %r<8>; .reg .b64 "
      "%d<6>;\n"
      "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];\nld.global.v8.f32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0];\n"
      "st.global.v8.b32 [%d1], {%r7, %r6, %r5, %r4, %r3, %r2, %r1, %r0};\n"
      "ld.global.v4.b64 {%d2, %d3, %d4, %d5}, [%d0]; st.global.v4.b64 [%d1+32], {%d2, %d3, %d4, %d5};\nret;\n}\n");
  buffer<u32> in(8, "in"), out(16, "out");
  for (u32 i = 0; i < 8; ++i) in.set(i, 10 + i);
  expect_clean(p.request("copy", {}, {}, 0, in.at(0), out.at(0)));
  for (u32 i = 0; i < 8; ++i) {
    CHECK(out.get(i) == 17 - i);
    CHECK(out.get(8 + i) == 10 + i);
  }
}

TEST_CASE("state spaces, orders and hints") {
  CHECK(snippet<u32(u32)>(
            ".local .align 8 .b8 depot[16]; mov.b64 q0, depot; cvta.local.u64 q1, q0; st.local.b32 [q0+4], %1; ld.b32 %0, [q1+4];")(42) ==
        42);
  CHECK(snippet<u32(u32)>("mov.u32 w0, scratch; cvt.u64.u32 q0, w0; cvta.shared.u64 q0, q0; st.b32 [q0], %1; ld.shared.b32 %0, [w0];")(
            42) == 42);
  CHECK(snippet<u32(u32)>("cvta.global.u64 q0, %in; cvta.to.global.u64 q1, q0; ld.global.nc.L1::no_allocate.L2::128B.b32 %0, [q1];")(42) ==
        42);
  CHECK(snippet<u32(u32)>("ld.relaxed.gpu.global.b32 %0, [%in];")(42) == 42);
  CHECK(snippet<u32(u32)>("ld.acquire.sys.b32 %0, [%in];")(42) == 42);
  CHECK(snippet<u32(u32)>("ld.volatile.global.b32 %0, [%in]; ldu.global.b32 %0, [%in]; ld.global.ca.b32 %0, [%in]; prefetch.global.L2 "
                          "[%in]; prefetchu.L1 [%in];")(42) == 42);
  CHECK(snippet<u32(u32)>(
            "st.release.gpu.global.b32 [%out], %1; fence.acq_rel.gpu; ld.weak.global.b32 %0, [%out]; membar.gl; fence.sc.sys;")(42) == 42);
  CHECK(snippet<u32(u32)>("createpolicy.fractional.L2::evict_first.b64 q0, 1.0; ld.global.L2::cache_hint.b32 %0, [%in], q0;")(42) == 42);
  snippet<u32(u32)> const which(
      "mov.u32 w0, scratch; cvt.u64.u32 q0, w0; cvta.shared.u64 q0, q0; isspacep.shared p0, q0; isspacep.global p1, q0; isspacep.local p2, "
      "q0;"
      "isspacep.global p3, %in; selp.u32 w1, 1, 0, p0; selp.u32 w2, 2, 0, p1; selp.u32 w3, 4, 0, p2; selp.u32 w4, 8, 0, p3; add.u32 w1, "
      "w1, w2; add.u32 w1, w1, w3;"
      "add.u32 %0, w1, w4;");
  CHECK(which(0) == 9);
}

TEST_CASE("atomics give the old value and leave the new") {
  struct known { std::string op; u32 held, b, after; };
  for (known const& k : {known{"add.u32", 0xfffffffe, 3, 1},
                        {"add.s32", 5, u32(-7), u32(-2)},
                        {"min.u32", 5, 0xffffffff, 5},
                        {"min.s32", 5, 0xffffffff, 0xffffffff},
                        {"max.u32", 5, 0xffffffff, 0xffffffff},
                        {"max.s32", 5, 0xffffffff, 5},
                        {"inc.u32", 5, 6, 6},
                        {"inc.u32", 6, 6, 0},
                        {"inc.u32", 9, 6, 0},
                        {"dec.u32", 5, 6, 4},
                        {"dec.u32", 0, 6, 6},
                        {"dec.u32", 7, 6, 6},
                        {"and.b32", 12, 10, 8},
                        {"or.b32", 12, 10, 14},
                        {"xor.b32", 12, 10, 6},
                        {"exch.b32", 12, 10, 10}}) {
    CAPTURE(k.op); CAPTURE(k.held); CAPTURE(k.b);
    for (char const* where : {"", ".shared", ".relaxed.gpu", ".acq_rel.cta.shared"}) {
      bool const shared = std::string(where).find("shared") != std::string::npos;
      std::string const to = shared ? "w0" : "q0";
      snippet<u64(u32, u32)> const f("mov.u32 w0, scratch; cvt.u64.u32 q0, w0; cvta.shared.u64 q0, q0; st.shared.b32 [w0], %1; atom" +
                                     std::string(where) + "." + k.op + " w1, [" + to +
                                     "], %2; ld.shared.b32 w2, [w0]; mov.b64 %0, {w1, w2};");
      CHECK(f(k.held, k.b) == (k.held | u64(k.after) << 32));
      if (k.op.starts_with("exch") || std::string(where).find("acq") != std::string::npos) continue;
      CHECK(snippet<u32(u32, u32)>("mov.u32 w0, scratch; cvt.u64.u32 q0, w0; cvta.shared.u64 q0, q0; st.shared.b32 [w0], %1; red" +
                                   std::string(where) + "." + k.op + " [" + to + "], %2; ld.shared.b32 %0, [w0];")(k.held, k.b) == k.after);
    }
  }
  // Headers of the toolkit write the modifiers in other orders, too.
  for (char const* op : {"atom.add.acq_rel.gpu.u32", "atom.global.cta.add.u32", "atom.add.relaxed.sys.global.u32"})
    CHECK(snippet<u32(u32)>(std::string("st.global.b32 [%out], %1; ") + op + " w0, [%out], 3; ld.global.b32 %0, [%out];")(4) == 7);
  snippet<u64(u32, u32, u32)> const cas(
      "mov.u32 w0, scratch; st.shared.b32 [w0], %1; atom.shared.cas.b32 w1, [w0], %2, %3; ld.shared.b32 w2, [w0]; mov.b64 %0, {w1, w2};");
  CHECK(cas(5, 5, 9) == (5 | u64(9) << 32));
  CHECK(cas(5, 6, 9) == (5 | u64(5) << 32));
}

TEST_CASE("atomics of 64 bits, floats and pairs") {
  auto const after = [](char const* type, char const* op, auto held, auto b) {
    using T = decltype(held);
    std::string const bits = type;
    return snippet<T(T, T)>("mov.u32 w0, scratch; st.shared." + bits + " [w0], %1; red.shared." + op + " [w0], %2; ld.shared." + bits +
                            " %0, [w0];")(held, b);
  };
  CHECK(after("b64", "add.u64", ~u64(0), u64(3)) == 2);
  CHECK(after("b64", "min.s64", i64(-5), i64(3)) == -5);
  CHECK(after("b64", "max.u64", ~u64(4), u64(3)) == ~u64(4));
  CHECK(after("b64", "xor.b64", ~u64(0), u64(3)) == ~u64(3));
  CHECK(after("b32", "add.f32", 0.5f, 0.25f) == 0.75f);
  CHECK(after("b32", "add.f32", 1.0f, 0x1p-24f) == 1);
  CHECK(after("b64", "add.f64", 1.0, 0x1p-52) == 1 + 0x1p-52);
  CHECK(after("b16", "add.noftz.f16", u16(0x3c00), u16(0x4000)) == 0x4200);
  CHECK(after("b16", "add.noftz.bf16", u16(0x3f80), u16(0x4000)) == 0x4040);
  CHECK(after("b32", "add.noftz.f16x2", u32(0x3c004000), u32(0x3c003c00)) == 0x40004200);
  CHECK(after("b32", "add.noftz.bf16x2", u32(0x3f804000), u32(0x3f803f80)) == 0x40004040);
}

TEST_CASE("a vector of floats is added element by element") {
  snippet<u64(float, float)> const f(
      "mov.b64 q0, %out; st.global.v2.b32 [q0], {%1, %2}; atom.global.add.v2.f32 {w0, w1}, [q0], {0f3F800000, 0f40000000};"
      "ld.global.b64 %0, [q0]; red.global.add.v2.f32 [q0], {w0, w1};");
  u64 const r = f(3, 4);
  CHECK(std::bit_cast<float>(static_cast<u32>(r)) == 4);
  CHECK(std::bit_cast<float>(static_cast<u32>(r >> 32)) == 6);
}

TEST_CASE("cp.async copies 4, 8 or 16 bytes, zeros beyond the source, at its wait") {
  std::string const prepare = "mov.u32 w0, scratch; ";
  CHECK(snippet<u32(u32)>(prepare + "cp.async.ca.shared.global [w0], [%in], 4; cp.async.wait_all; ld.shared.b32 %0, [w0];")(77) == 77);
  CHECK(
      snippet<u64(u64)>(
          prepare + "cp.async.ca.shared.global [w0+8], [%in], 8; cp.async.commit_group; cp.async.wait_group 0; ld.shared.b64 %0, [w0+8];")(
          0x123456789) == 0x123456789);
  CHECK(snippet<u64(u64)>(prepare + "cp.async.ca.shared.global [w0], [%in], 8, 4; cp.async.wait_all; ld.shared.b64 %0, [w0];")(
            0x123456789) == 0x23456789);
  CHECK(snippet<u64(u64)>(
            prepare +
            "setp.eq.u64 p0, %1, %1; cp.async.ca.shared.global.L2::128B [w0], [%in], 8, p0; cp.async.wait_all; ld.shared.b64 %0, [w0];")(
            5) == 0);
  snippet<u64(u64, u64)> const wide(prepare +
                                    "cp.async.cg.shared.global [w0], [%in], 16; cp.async.commit_group; cp.async.wait_group 0; "
                                    "ld.shared.v2.b64 {q0, q1}, [w0]; sub.u64 %0, q1, q0;");
  CHECK(wide(1, 10) == 9);
}
