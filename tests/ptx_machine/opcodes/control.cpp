// Branches and ends: bra, brx.idx, ret, exit, trap, nanosleep; and instructions that only advise.
#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

instruction const* branch(frame& f, instruction const& i) {
  f.here.step();
  return &i + i.value;
}
instruction const* indexed_branch(frame& f, instruction const& i) {
  f.here.step();
  auto const& table = f.code.branch_tables[i.list];
  auto const index = get<std::uint32_t>(f, i.a);
  if (index >= table.size()) f.here.trap("brx.idx past the end of its table", i.at);
  return f.code.code.data() + table[index];
}
instruction const* leave(frame&, instruction const&) { return nullptr; }
instruction const* exit_thread(frame& f, instruction const&) { f.here.exit(); }
instruction const* trap(frame& f, instruction const& i) { f.here.trap("trap", i.at); }
instruction const* nothing(frame&, instruction const& i) { return &i + 1; }
instruction const* sleep(frame& f, instruction const& i) {
  f.here.yield();
  return &i + 1;
}

void decode_bra(decoder& d) {
  d.take("uni");
  operand const& o = d.next();
  if (o.what != operand::kind::symbol || o.offset) d.fail("a branch needs a label");
  auto const at = static_cast<std::uint32_t>(d.builder.f.code.size());
  d.emit(branch);
  d.builder.jump_from(at, o.name, d.text.line);
}
void decode_brx(decoder& d) {
  if (!d.take("idx")) d.fail("expected .idx");
  d.take("uni");
  d.out.a = d.source(s::u32);
  operand const& o = d.next();
  if (o.what != operand::kind::symbol) d.fail("an indexed branch needs a list of labels");
  d.out.list = d.builder.branch_table(o.name);
  d.needs_site();
  d.emit(indexed_branch);
}

}  // namespace

void add_control(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::any, f); };
  add("bra", decode_bra);
  add("brx", decode_brx);
  add("ret", [](decoder& d) {
    d.take("uni");
    d.emit(leave);
  });
  add("exit", [](decoder& d) { d.emit(exit_thread); });
  add("trap", [](decoder& d) {
    d.needs_site();
    d.emit(trap);
  });
  add("nanosleep", [](decoder& d) {
    d.out.a = d.source(d.take_type({s::u32}));
    d.emit(sleep);
  });
  add("griddepcontrol", [](decoder& d) {   // the launches before this one have ended when it begins
    d.take_one_of({"launch_dependents", "wait"});
    d.emit(nothing);
  });
}

}  // namespace ptx_machine
