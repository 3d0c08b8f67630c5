// The parser: what a module declares, where its bytes and lines go, and errors that name the line of whatever is not known.
#include "program.hpp"

using namespace scripted;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {
std::string const head = ".version 9.0\n.target sm_90, debug\n.address_size 64\n";
std::string kernel_with(std::string const& body) {
  return head +
         ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<4>;\n.reg .b16 %h<4>;\n.reg .f32 %f<4>;\n.reg .b64 %d<4>;\n.reg .pred "
         "%p<4>;\n" +
         body + "\nret;\n}\n";
}

/// What parsing it complains of.
std::string complaint(std::string const& text) {
  try {
    parse(text, "wrong.ptx");
  } catch (ptx_error const& e) { return e.what(); }
  return "nothing";
}
void refuses(std::string const& line, std::string const& why) {
  std::string const message = complaint(kernel_with(line));
  CAPTURE(line); CAPTURE(message);
  CHECK(message.starts_with("wrong.ptx:10: "));
  CHECK(message.find(why) != std::string::npos);
  CHECK(message.find("\n  " + line.substr(0, line.find('\n'))) != std::string::npos);
}
}  // namespace

TEST_CASE("kernels: parameters, shared memory, bounds on threads") {
  ptx_module const m = parse(head + R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry first(
  .param .u64 .ptr .align 1 first_0,
  .param .u8 first_1,
  .param .align 16 .b8 first_2[20],
  .param .f32 first_3
)
.maxntid 128, 2, 1
.minnctapersm 3
{
  .shared .align 4 .f32 a[10];
  .shared .align 16 .b8 b[3];
  ret;
}
.entry second .reqntid 32 { ret; }
)");
  kernel const* const first = m.find("first");
  REQUIRE(first);
  REQUIRE(first->parameters.size() == 4);
  CHECK(first->parameters[0].offset == 0);
  CHECK(first->parameters[1].offset == 8);
  CHECK(first->parameters[1].size == 1);
  CHECK(first->parameters[2].offset == 16);
  CHECK(first->parameters[2].size == 20);
  CHECK(first->parameters[3].offset == 36);
  CHECK(first->parameter_bytes == 40);
  CHECK(first->max_threads == 256);
  CHECK(first->min_blocks == 3);
  CHECK(first->static_shared_bytes == 64);   // 48 + 3, then a multiple of 16
  REQUIRE(m.find("second"));
  CHECK(m.find("second")->required_threads == 32);
  CHECK(m.find("second")->static_shared_bytes == 0);
  CHECK(m.find("third") == nullptr);
  CHECK(m.kernels().size() == 2);
  CHECK(m.target() == "sm_90");
}

TEST_CASE("variables: values of every kind, addresses of variables and functions") {
  program p(head + R"(
.func nothing() ;
.global .align 4 .u32 number = 0x10;
.visible .global .align 8 .b8 text[6] = {104, 105};
.const .align 8 .f64 values[2] = {0d3FF8000000000000, -0d3FF8000000000000};
.global .s16 grid[2][3] = {{1, -2, 3}, {4}};
.global .f32 third = 0f3E800000;
.global .u64 pointers[3] = {number, generic(text)+2, nothing};
.weak .global .u32 empty;
.global .b8 unsized[] = {1, 2, 3};
.visible .entry k(.param .u64 out) {
  .reg .b64 %d<4>;
  .reg .b32 %r<4>;
  .reg .f64 %f<2>;
  ld.param.u64 %d0, [out];
  ld.global.u64 %d1, [pointers];
  ld.u32 %r0, [%d1];
  st.global.u32 [%d0], %r0;
  ld.const.f64 %f0, [values+8];
  st.global.f64 [%d0+8], %f0;
  ld.global.s16 %r1, [grid+2];
  st.global.u32 [%d0+16], %r1;
  ld.global.u64 %d2, [pointers+8];
  ld.u32 %r2, [empty];
  st.global.u32 [%d0+20], %r2;
  ret;
}
.func nothing() { ret; }
)");
  buffer<u32> out(6, "out");
  expect_clean(p.request("k", {}, {}, 0, out.at(0)));
  CHECK(out.get(0) == 16);
  CHECK(out.get(3) == 0xbff80000);
  CHECK(out.get(4) == u32(-2));
  CHECK(out.get(5) == 0);
  variable const* const text = p.contents().find_variable("text");
  REQUIRE(text);
  CHECK(text->size == 6);
  CHECK(text->initial[1] == std::byte{105});
  CHECK(text->initial[5] == std::byte{0});
  CHECK(p.contents().find_variable("values")->constant);
  CHECK(p.contents().find_variable("unsized")->size == 3);
  u64 pointer;
  std::memcpy(&pointer, p.contents().find_variable("pointers")->initial.data() + 8, 8);
  CHECK(pointer == text->address + 2);
  CHECK_THROWS_AS(program(head + ".extern .global .u32 elsewhere;\n"), ptx_error);
}

TEST_CASE("shared memory of the module is laid out for the kernels that reach it") {
  ptx_module const m = parse(head + R"(
.shared .align 8 .b8 common[40];
.func touch() { .reg .b32 %r<2>; mov.u32 %r0, common; ret; }
.entry by_call() { .shared .b8 own[4]; call touch; ret; }
.entry by_name() { .reg .b32 %r<2>; mov.u32 %r0, common; ret; }
.entry alone() { .shared .b8 own[4]; ret; }
)");
  CHECK(m.find("by_call")->static_shared_bytes == 64);
  CHECK(m.find("by_name")->static_shared_bytes == 48);
  CHECK(m.find("alone")->static_shared_bytes == 16);
}

TEST_CASE("places come from .loc, also where .file stands at the end and calls are inlined") {
  program p(
      kernel_with(
          ".loc 2 7 3\nld.param.u64 %d0, [out];\n.loc 1 41 5, function_name $L__info_string0, inlined_at 2 9 3\nst.global.u32 [%d0], 1;") +
          ".file 1 \"somewhere/helper.cuh\"\n.file 2 \"kernel.cu\", 1, 2\n.section .debug_str { $L__info_string0: .b8 1,2\n.b64 x }\n",
      "lines.ptx");
  std::string const message = expect_only(violation_kind::out_of_bounds, p.request("k", {}, {}, 0, u64(0)));
  CAPTURE(message);
  CHECK(message.find("helper.cuh:41 < kernel.cu:9 (ptx 13)") != std::string::npos);
}

TEST_CASE("what is not known is refused, with its line") {
  refuses("frobnicate.b32 %r0, %r1;", "unknown opcode frobnicate.b32");
  refuses("wgmma.fence.sync.aligned;", "unknown opcode wgmma");
  refuses("tcgen05.fence::before_thread_sync;", "unknown opcode");
  refuses("mbarrier.init.shared.b64 [%r0], 1;", "unknown opcode mbarrier");
  refuses("add.fast.f32 %f0, %f1, %f2;", "modifier .fast");
  refuses("add.ftz.rn.f32 %f0, %f1, %f2;", "modifier .rn");          // in the wrong order
  refuses("add.ftz.f64 %d0, %d1, %d2;", ".ftz");
  refuses("add.sat.u32 %r0, %r1, %r2;", "type or modifier");
  refuses("fma.f32 %f0, %f1, %f2, %f3;", "expected one of .rn .rz .rm .rp");
  refuses("shl.u32 %r0, %r1, %r2;", "type or modifier .u32");
  refuses("mul.s32 %r0, %r1, %r2;", "expected one of .lo .hi .wide");
  refuses("setp.lo.s32 %p0, %r0, %r1;", "signed");
  refuses("setp.lt.b32 %p0, %r0, %r1;", "not for bits");
  refuses("cvt.f32.f64 %f0, %d0;", "a rounding is missing");
  refuses("cvt.rn.f64.f32 %d0, %f0;", "takes no rounding");
  refuses("cvt.u32.f32 %r0, %f0;", "whole numbers is missing");
  refuses("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0}, {%r0}, {%r0}, {%r0};", "modifier .m16n8k32");
  refuses("ld.shared::cluster.u32 %r0, [%r1];", "modifier .shared::cluster");
  refuses("cp.async.bulk.commit_group;", "modifier .bulk");
  refuses("atom.global.add.f16 %h0, [%d0], %h1;", ".noftz is missing");
  refuses("atom.add.gpu.cta.u32 %r0, [%d0], %r1;", "stands twice");
  refuses("atom.global.u32 %r0, [%d0], %r1;", "expected one of .add");
  refuses("red.async.relaxed.cluster.global.add.u32 [%d0], %r0;", "modifier .async");
  refuses("ld.global.v4.f64 {%d0, %d1, %d2, %d3, %d0}, [%d1];", "wrong number of elements");
  refuses("ld.global.f32 {%f0}, [%d1];", "vector");
  refuses("st.const.u32 [%d0], %r0;", "cannot be written");
}

TEST_CASE("operands must fit, with the line that does not") {
  refuses("add.u32 %r0, %r1, %d0;", "64 bits, not 32");
  refuses("add.u64 %d0, %d1, %r0;", "32 bits, not 64");
  refuses("add.u32 %r0, %r1;", "an operand is missing");
  refuses("add.u32 %r0, %r1, %r2, %r3;", "too many operands");
  refuses("add.u32 5, %r1, %r2;", "register");
  refuses("add.f32 %f0, %f1, 2;", "whole number");
  refuses("add.f32 %f0, %f1, 0d3FF0000000000000;", "wrong width");
  refuses("mov.f32 %f0, 0f3F80;", "wrong number of digits");
  refuses("and.pred %p0, %p1, %r0;", "do not mix");
  refuses("@%r0 add.u32 %r0, %r1, %r2;", "no predicate");
  refuses("add.u32 %r0, %r1, %nothing;", "unknown register %nothing");
  refuses("mov.u64 %d0, nowhere;", "unknown symbol nowhere");
  refuses("ld.global.u32 %r0, [%r1];", "64 bits");
  refuses("ld.global.u32 %r0, [out];", "another state space");
  refuses("ld.shared.u32 %r0, %r1;", "an address");
  refuses("shfl.sync.idx.b64 %d0, %d1, 0, 31, -1;", "type or modifier .b64");
  refuses("bra NOWHERE;", "no label NOWHERE");
  refuses("call nobody;", "unknown function nobody");
  refuses(".reg .b32 %r<4>;", "declared twice");
  refuses(".reg .b99 %x;", "unknown type .b99");
  refuses(".unknown 7;", "unknown directive .unknown");
  refuses("lop3.b32 %r0, %r1, %r2, %r3, 256;", "a number from 0 to 255");
  refuses("cp.async.cg.shared.global [%r0], [%d0], 8;", "with .cg 16");
}

TEST_CASE("directives may follow one another without a space, as inline assembly of the toolkit has it") {
  CHECK(complaint(kernel_with("{.reg.b32 f, g;\n.reg.b16 h;\nmov.b32 f, 1; mov.b32 {h, _}, f;}")) == "nothing");
}

TEST_CASE("what is wrong outside bodies") {
  CHECK(complaint(".version 9.0\n.target sm_90\n.address_size 32\n").starts_with("wrong.ptx:3: addresses must have 64 bits"));
  CHECK(complaint(head + ".global .u32 a = {1, 2};\n").find("too many initial values") != std::string::npos);
  CHECK(complaint(head + ".global .u64 a = missing;\n").find("unknown symbol missing") != std::string::npos);
  CHECK(complaint(head + ".global .attribute(.managed) .u32 a;\n").find(".attribute") != std::string::npos);
  CHECK(complaint(head + ".global .surfref s;\n").find("unknown type or attribute .surfref") != std::string::npos);
  CHECK(complaint(head + ".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }\n").find("other parameters") != std::string::npos);
  CHECK(complaint(head + ".entry k() { ret; }\n.entry k() { ret; }\n").find("defined twice") != std::string::npos);
  CHECK(complaint(head + ".entry k() { ret;\n").find("ends too early") != std::string::npos);
  CHECK(complaint(head + ".entry k() .explicitcluster { ret; }\n").find("unknown directive .explicitcluster") != std::string::npos);
  CHECK(complaint(head + "/* no end").find("no end") != std::string::npos);
  CHECK(complaint("") == "nothing");
}
