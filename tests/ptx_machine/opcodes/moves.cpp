// mov: registers, constants, addresses, special registers that change, and packing of vectors into one register or out of it.
#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

instruction const* move(frame& f, instruction const& i) {
  f.r[i.d] = f.r[i.a];
  return &i + 1;
}
/// Elements of `value` bits each, `count` of them, the first in the low bits.
instruction const* pack(frame& f, instruction const& i) {
  std::uint64_t all = 0;
  for (unsigned k = 0; k < i.count; ++k) all |= f.r[f.code.lists[i.list + k]] << (k * static_cast<unsigned>(i.value));
  f.r[i.d] = all;
  return &i + 1;
}
instruction const* unpack(frame& f, instruction const& i) {
  std::uint64_t const all = f.r[i.a], mask = (std::uint64_t(1) << i.value) - 1;
  for (unsigned k = 0; k < i.count; ++k) f.r[f.code.lists[i.list + k]] = all >> (k * static_cast<unsigned>(i.value)) & mask;
  return &i + 1;
}
/// Clocks move on with every reading: 0 the low half, 1 the high half, 2 both.
instruction const* read_clock(frame& f, instruction const& i) {
  std::uint64_t const now = f.here.clock();
  f.r[i.d] = i.value == 0 ? now & 0xffffffff : i.value == 1 ? now >> 32 : now;
  return &i + 1;
}
int clock_of(std::uint32_t slot, function const& f) {   // which part; -1: no clock
  for (entry_value const& e : f.entry_values) {
    if (e.slot != slot) continue;
    switch (e.what) {
      case special::clock: case special::globaltimer_lo: return 0;
      case special::clock_hi: case special::globaltimer_hi: return 1;
      case special::clock64: case special::globaltimer: return 2;
      default: return -1;
    }
  }
  return -1;
}

scalar element_type(decoder& d, scalar whole, std::size_t count) {
  unsigned const bits = bits_of(whole) / static_cast<unsigned>(count);
  if (count != 2 && count != 4) d.fail("a vector must have 2 or 4 elements");
  switch (bits) {
    case 8: return s::b8;
    case 16: return s::b16;
    case 32: return s::b32;
    default: d.fail("the elements of the vector do not fit");
  }
}

void decode_mov(decoder& d) {
  scalar const t = d.take_type({s::pred, s::b16, s::b32, s::b64, s::u16, s::u32, s::u64, s::s16, s::s32, s::s64, s::f32, s::f64});
  operand const& to = d.next();
  operand const& from = d.next();
  if (to.what == operand::kind::vector || from.what == operand::kind::vector) {
    if (!is_bits(t)) d.fail("vectors are packed into bits");
    bool const packs = from.what == operand::kind::vector;
    auto const& parts = packs ? from.parts : to.parts;
    scalar const element = element_type(d, t, parts.size());
    std::vector<std::uint32_t> slots;
    for (operand const& o : parts) slots.push_back(packs ? d.source_of(o, element) : d.destination_of(o, element));
    if (packs) d.out.d = d.destination_of(to, t);
    else d.out.a = d.source_of(from, t);
    d.begin_list();
    for (std::uint32_t slot : slots) d.list(slot);
    d.out.count = static_cast<std::uint8_t>(parts.size());
    d.out.value = bits_of(element);
    return d.emit(packs ? pack : unpack);
  }
  d.out.d = d.destination_of(to, t);
  d.out.a = d.source_of(from, t);
  d.out.value = clock_of(d.out.a, d.builder.f);
  d.emit(d.out.value < 0 ? move : read_clock);
}

}  // namespace

void add_moves(opcode_table& t) { t.add("mov", opcode_kind::any, decode_mov); }

}  // namespace ptx_machine
