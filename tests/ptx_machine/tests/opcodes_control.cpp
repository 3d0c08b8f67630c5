// Branches, calls, ends of threads, special registers; and what is refused.
#include "snippet.hpp"

using namespace scripted;

TEST_CASE("branches and loops") {
  CHECK(snippet<u32(u32)>(
            "mov.u32 %0, 0;\nLOOP: setp.eq.u32 p0, %1, 0; @p0 bra.uni END; add.u32 %0, %0, %1; sub.u32 %1, %1, 1; bra LOOP;\nEND:")(10) ==
        55);
  snippet<u32(u32)> const table(
      "TARGETS: .branchtargets A, B, C; mov.u32 %0, 0; brx.idx %1, TARGETS;\nA: mov.u32 %0, 10; bra END;\nB: mov.u32 %0, 20; bra END;\nC: "
      "mov.u32 %0, 30;\nEND:");
  for (u32 i = 0; i < 3; ++i) CHECK(table(i) == 10 * (i + 1));
  // A label and a register of an inner scope are not those outside.
  CHECK(
      snippet<u32(u32)>(
          "{ .reg .b32 w0; mov.u32 w0, 5; bra L;\nL: mov.u32 %0, w0; }\n{ .reg .f16 w0; bra L;\nL: }\nmov.u32 w0, %0; add.u32 %0, w0, 1;")(
          0) == 6);
  CHECK(snippet<u32(u32)>("mov.u32 %0, 1; setp.eq.u32 p0, %1, 3; @p0 mov.u32 %0, 2; @!p0 mov.u32 %0, 4;")(3) == 2);
  CHECK(snippet<u32(u32)>("griddepcontrol.wait; griddepcontrol.launch_dependents; nanosleep.u32 100; mov.u32 %0, %1; // and a comment\n/* "
                          "and\n another */")(3) == 3);
}

TEST_CASE("special registers") {
  std::vector<std::tuple<>> const threads(70);
  auto const of = [&](char const* name) { return snippet<u32()>(std::string("mov.u32 %0, ") + name + ";").all(threads); };
  auto const tid = of("%tid.x"), warp = of("%warpid"), lane = of("%laneid"), ntid = of("%ntid.x"), nwarp = of("%nwarpid");
  for (u32 i = 0; i < 70; ++i) {
    CHECK(tid[i] == i);
    CHECK(warp[i] == i / 32);
    CHECK(lane[i] == i % 32);
    CHECK(ntid[i] == 70);
    CHECK(nwarp[i] == 3);
  }
  CHECK(of("%tid.y")[5] == 0);
  CHECK(of("%nctaid.z")[5] == 1);
  CHECK(of("%cluster_ctarank")[5] == 0);
  CHECK(of("%cluster_nctarank")[5] == 1);
  CHECK(of("%dynamic_smem_size")[5] == 0);
  CHECK(snippet<u64()>("mov.u64 q0, %clock64; mov.u64 q1, %clock64; sub.u64 %0, q1, q0;")() > 0);
  CHECK(snippet<u64()>("mov.u64 q0, %globaltimer; mov.u64 q1, %globaltimer; sub.u64 %0, q1, q0;")() > 0);
  CHECK(snippet<u32()>("mov.u32 w0, %clock; mov.u32 w1, %clock; sub.u32 %0, w1, w0;")() > 0);
}

TEST_CASE("calls with arguments, results, aggregates, and through a pointer") {
  program p(R"(
.version 9.0
.target sm_80
.address_size 64
.func (.param .b32 result) twice(.param .b32 x)
;
.func (.param .b32 result) half(.param .b32 x)
;
.global .align 8 .u64 chosen[2] = {twice, half};
.func (.param .b32 result) half(.param .b32 x)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [x];
  shr.u32 %r1, %r0, 1;
  st.param.b32 [result+0], %r1;
  ret;
}
.func (.param .align 8 .b8 sums[16]) both(.param .align 8 .b8 s[16], .param .b64 more)
{
  .local .align 8 .b8 depot[8];
  .reg .b32 %r<2>;
  .reg .b64 %d<4>;
  ld.param.b32 %r0, [s];
  ld.param.b64 %d0, [s+8];
  ld.param.b64 %d1, [more];
  st.local.b64 [depot], %d1;
  ld.local.b64 %d2, [depot];
  add.u32 %r1, %r0, 1;
  add.u64 %d3, %d0, %d2;
  st.param.b32 [sums], %r1;
  st.param.b64 [sums+8], %d3;
  ret;
}
.visible .entry calls(.param .u64 out, .param .u32 x)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<12>;
  ld.param.u64 %d0, [out];
  ld.param.u32 %r0, [x];
  {
    .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r0;
    call.uni (r), twice, (a);
    ld.param.b32 %r1, [r];
  }
  st.global.b32 [%d0], %r1;
  mov.u64 %d1, chosen;
  ld.global.u64 %d2, [%d1+8];
  {
    .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r0;
    shape: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %d2, (a), shape;
    ld.param.b32 %r2, [r];
  }
  st.global.b32 [%d0+4], %r2;
  {
    .param .align 8 .b8 a[16]; .param .b64 m; .param .align 8 .b8 r[16];
    st.param.b32 [a], %r0;
    mov.u64 %d3, 1000000000000;
    st.param.b64 [a+8], %d3;
    st.param.b64 [m], 5;
    call (r), both, (a, m);
    ld.param.b32 %r3, [r];
    ld.param.b64 %d4, [r+8];
  }
  st.global.b32 [%d0+8], %r3;
  st.global.b64 [%d0+16], %d4;
  ret;
}
.func (.param .b32 result) twice(.param .b32 x)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [x];
  add.u32 %r1, %r0, %r0;
  st.param.b32 [result], %r1;
  ret;
}
)");
  buffer<u32> out(6, "out");
  expect_clean(p.request("calls", {}, {1, 1, 1}, 0, out.at(0), u32(21)));
  CHECK(out.get(0) == 42);
  CHECK(out.get(1) == 10);
  CHECK(out.get(2) == 22);
  CHECK((out.get(4) | u64(out.get(5)) << 32) == 1000000000005);
}

TEST_CASE("threads end: ret, exit in a function, trap, a call to nothing, recursion without an end") {
  std::string const head =
      ".version 9.0\n.target sm_80\n.address_size 64\n.func leave() { exit; }\n.func down() { call down; ret; }\n"
      ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;\nld.param.u64 %d0, [out]; mov.u32 %r0, "
      "%tid.x; mad.wide.u32 %d1, %r0, 4, %d0;\n";
  auto const run_it = [&](std::string const& body, unsigned threads, buffer<u32>& out, auto check) {
    program p(head + body + "\n}\n", "ends.ptx");
    on_schedules(p.request("k", {}, {threads, 1, 1}, 0, out.at(0)), check);
  };
  buffer<u32> out(4, "out", 0u);
  run_it("setp.lt.u32 %p0, %r0, 2; @%p0 call leave; st.global.u32 [%d1], 7; ret;", 4, out, [](report_data const& r) { CHECK(r.ok()); });
  CHECK(out.get(0) == 0);
  CHECK(out.get(1) == 0);
  CHECK(out.get(2) == 7);
  CHECK(out.get(3) == 7);
  auto const traps = [&](std::string const& body, std::string const& why) {
    run_it(body, 1, out, [&](report_data const& r) {
      REQUIRE(r.find(violation_kind::trap));
      CHECK(r.find(violation_kind::trap)->message.find(why) != std::string::npos);
      CHECK(r.find(violation_kind::trap)->message.find("ptx ") != std::string::npos);
    });
  };
  traps("trap;", "trap");
  traps("shape: .callprototype _ (); mov.u64 %d2, 12345; call %d2, (), shape; ret;", "no function");
  traps("shape: .callprototype (.param .b32 _) _ (); { .param .b32 r; mov.u64 %d2, leave; call (r), %d2, (), shape; } ret;",
        "leave with other parameters");
  traps("call down; ret;", "calls within calls");
  traps("mov.u32 %r0, 1;", "ran past the end");
  traps("T: .branchtargets A; mov.u32 %r1, 1; brx.idx %r1, T;\nA: ret;", "past the end of its table");
}
