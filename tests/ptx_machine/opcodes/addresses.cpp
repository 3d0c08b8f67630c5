// Addresses between the generic space and the others: cvta, isspacep.
#include "opcodes/handlers.hpp"
#include "opcodes/spaces.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

instruction const* to_generic(frame& f, instruction const& i) {
  f.r[i.d] = lane::to_generic(static_cast<space>(i.flags), f.r[i.a]);
  return &i + 1;
}
instruction const* from_generic(frame& f, instruction const& i) {
  f.r[i.d] = lane::from_generic(static_cast<space>(i.flags), f.r[i.a]);
  return &i + 1;
}
instruction const* is_in(frame& f, instruction const& i) {
  f.r[i.d] = lane::is_in(static_cast<space>(i.flags), f.r[i.a]);
  return &i + 1;
}

space take_window(decoder& d) {
  space const in = take_space(d);
  if (in == space::generic) d.fail("a state space is missing");
  if (in == space::param && !d.builder.f.entry) d.fail("only a kernel's parameters have generic addresses");
  d.out.flags = static_cast<std::uint16_t>(in);
  return in;
}

void decode_cvta(decoder& d) {
  bool const to = d.take("to");
  take_window(d);
  scalar const t = d.take_type({s::u64});
  emit_unary(d, t, to ? from_generic : to_generic);
}

void decode_isspacep(decoder& d) {
  if (d.take("shared::cluster")) d.out.flags = static_cast<std::uint16_t>(space::shared);   // a cluster is one block
  else take_window(d);
  d.out.d = d.destination(s::pred);
  d.out.a = d.source(s::u64);
  d.emit(is_in);
}

}  // namespace

void add_addresses(opcode_table& t) {
  t.add("cvta", opcode_kind::any, decode_cvta);
  t.add("isspacep", opcode_kind::any, decode_isspacep);
}

}  // namespace ptx_machine
