// Instructions in the body of a function: guards, mnemonics, operands.
#include <cstdlib>

#include "body.hpp"

namespace ptx_machine {
namespace {

struct special_register {
  std::string_view name;
  special what;
  scalar type;
};
constexpr special_register special_registers[] = {
    {"%tid.x", special::tid_x, scalar::u32},
    {"%tid.y", special::tid_y, scalar::u32},
    {"%tid.z", special::tid_z, scalar::u32},
    {"%ntid.x", special::ntid_x, scalar::u32},
    {"%ntid.y", special::ntid_y, scalar::u32},
    {"%ntid.z", special::ntid_z, scalar::u32},
    {"%ctaid.x", special::ctaid_x, scalar::u32},
    {"%ctaid.y", special::ctaid_y, scalar::u32},
    {"%ctaid.z", special::ctaid_z, scalar::u32},
    {"%nctaid.x", special::nctaid_x, scalar::u32},
    {"%nctaid.y", special::nctaid_y, scalar::u32},
    {"%nctaid.z", special::nctaid_z, scalar::u32},
    {"%laneid", special::laneid, scalar::u32},
    {"%warpid", special::warpid, scalar::u32},
    {"%nwarpid", special::nwarpid, scalar::u32},
    {"%lanemask_eq", special::lanemask_eq, scalar::u32},
    {"%lanemask_lt", special::lanemask_lt, scalar::u32},
    {"%lanemask_le", special::lanemask_le, scalar::u32},
    {"%lanemask_gt", special::lanemask_gt, scalar::u32},
    {"%lanemask_ge", special::lanemask_ge, scalar::u32},
    {"%smid", special::smid, scalar::u32},
    {"%nsmid", special::nsmid, scalar::u32},
    {"%gridid", special::gridid, scalar::u64},
    {"%dynamic_smem_size", special::dynamic_smem_size, scalar::u32},
    {"%total_smem_size", special::total_smem_size, scalar::u32},
    {"%clock", special::clock, scalar::u32},
    {"%clock_hi", special::clock_hi, scalar::u32},
    {"%clock64", special::clock64, scalar::u64},
    {"%globaltimer", special::globaltimer, scalar::u64},
    {"%globaltimer_lo", special::globaltimer_lo, scalar::u32},
    {"%globaltimer_hi", special::globaltimer_hi, scalar::u32},
    {"%envreg1", special::envreg1, scalar::u32},
    {"%envreg2", special::envreg2, scalar::u32},
    // A launch without clusters: every block is a cluster of its own.
    {"%clusterid.x", special::ctaid_x, scalar::u32},
    {"%clusterid.y", special::ctaid_y, scalar::u32},
    {"%clusterid.z", special::ctaid_z, scalar::u32},
    {"%nclusterid.x", special::nctaid_x, scalar::u32},
    {"%nclusterid.y", special::nctaid_y, scalar::u32},
    {"%nclusterid.z", special::nctaid_z, scalar::u32},
    {"%cluster_ctaid.x", special::zero, scalar::u32},
    {"%cluster_ctaid.y", special::zero, scalar::u32},
    {"%cluster_ctaid.z", special::zero, scalar::u32},
    {"%cluster_nctaid.x", special::one, scalar::u32},
    {"%cluster_nctaid.y", special::one, scalar::u32},
    {"%cluster_nctaid.z", special::one, scalar::u32},
    {"%cluster_ctarank", special::zero, scalar::u32},
    {"%cluster_nctarank", special::one, scalar::u32},
    {"%is_explicit_cluster", special::zero, scalar::pred},
};

std::vector<std::string_view> split(std::string_view mnemonic) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    std::size_t const dot = mnemonic.find('.', begin);
    parts.push_back(mnemonic.substr(begin, dot - begin));
    if (dot == std::string_view::npos) return parts;
    begin = dot + 1;
  }
}

}  // namespace

void body_parser::instruction_from(token const& first) {
  statement s;
  s.line = line_ = first.line;
  token opcode = first;
  if (first.is("@")) {
    text_.take();
    s.guard_negated = text_.take_if("!");
    token const name = text_.word("a predicate");
    operand const* const guard = b_.find_register(name.text);
    if (!guard || guard->declared != scalar::pred) text_.fail(std::string(name.text) + " is no predicate", name.line);
    s.guard = guard->slot;
    opcode = text_.word("an opcode");
  }
  s.mnemonic = opcode.text;
  s.parts = split(opcode.text);
  if (!text_.peek().is(";")) {
    do s.operands.push_back(read_operand());
    while (text_.take_if(","));
  }
  text_.expect(";");
  decode_function const decode = opcodes().find(s.parts[0], kind_of(scalar_named(s.parts.back())));
  if (!decode) text_.fail("unknown opcode " + std::string(s.mnemonic), s.line);
  decoder d(b_, s, [](void* self) { return static_cast<body_parser*>(self)->here(); }, this);
  decode(d);
}

operand body_parser::read_operand() {
  operand o;
  if (text_.take_if("!")) {
    o = read_operand();
    o.negated = !o.negated;
  } else if (text_.peek().is("{") || text_.peek().is("(")) {
    bool const vector = text_.take().is("{");
    o.what = vector ? operand::kind::vector : operand::kind::list;
    std::string_view const end = vector ? "}" : ")";
    if (!text_.peek().is(end)) {
      do o.parts.push_back(read_operand());
      while (text_.take_if(","));
    }
    text_.expect(end);
  } else if (text_.take_if("[")) {
    o = read_address();
  } else if (text_.take_if("-")) {
    o = read_number(true);
  } else if (text_.peek().what == token::kind::number) {
    o = read_number(false);
  } else {
    o = read_word(text_.word("an operand"));
  }
  if (text_.take_if("|")) o.second.push_back(read_operand());
  return o;
}

operand body_parser::read_word(token const& t) {
  operand o;
  if (t.is("_")) return o;
  if (operand const* const found = b_.find_register(t.text)) return *found;
  if (t.text[0] == '%') {
    for (special_register const& r : special_registers) {
      if (r.name != t.text) continue;
      o.what = operand::kind::reg;
      o.declared = r.type;
      o.slot = b_.entry_slot(r.what);
      return o;
    }
    text_.fail("unknown register " + std::string(t.text), t.line);
  }
  o.what = operand::kind::symbol;
  o.name = t.text;
  if (text_.take_if("+")) o.offset = text_.integer();
  return o;
}

operand body_parser::read_number(bool negative) {
  token const t = text_.take();
  std::string_view const s = t.text;
  operand o;
  auto const hexadecimal = [&](unsigned bits) {
    o.what = operand::kind::real;
    o.real_bits = bits;
    if (s.size() != 2 + bits / 4) text_.fail(std::string(s) + " has the wrong number of digits", t.line);
    o.bits = integer_value(std::string("0x") + std::string(s.substr(2)));
    if (negative) o.bits ^= std::uint64_t(1) << (bits - 1);
  };
  try {
    if (s.starts_with("0f") || s.starts_with("0F")) hexadecimal(32);
    else if (s.starts_with("0d") || s.starts_with("0D")) hexadecimal(64);
    else if (!s.starts_with("0x") && !s.starts_with("0X") && s.find_first_of(".eE") != s.npos) {
      std::string const copy(s);
      char* end = nullptr;
      o.what = operand::kind::real;
      o.decimal = std::strtod(copy.c_str(), &end) * (negative ? -1 : 1);
      if (*end) text_.fail(copy + " is no number", t.line);
    } else {
      o.what = operand::kind::integer;
      o.bits = integer_value(s);
      if (negative) o.bits = 0 - o.bits;
    }
  } catch (std::invalid_argument const&) { text_.fail(std::string(s) + " is no number", t.line); }
  return o;
}

operand body_parser::read_address() {
  operand o;
  o.what = operand::kind::address;
  if (text_.peek().what == token::kind::number || text_.peek().is("-")) {
    o.offset = text_.integer();
  } else {
    token const t = text_.word("an address");
    operand base = read_word(t);
    o.offset = base.offset;
    base.offset = 0;
    o.parts.push_back(base);
    if (text_.take_if("+")) o.offset = text_.integer();
    else if (text_.peek().is("-")) o.offset = text_.integer();
  }
  text_.expect("]");
  return o;
}

}  // namespace ptx_machine
