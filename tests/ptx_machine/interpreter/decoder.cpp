// Modifiers and operands of one statement.
#include "decoder.hpp"

#include <algorithm>

namespace ptx_machine {

bool decoder::take(std::string_view modifier) {
  if (peek() != modifier) return false;
  ++part_;
  return true;
}

std::size_t decoder::maybe_one_of(std::initializer_list<std::string_view> list) {
  std::size_t i = 0;
  for (std::string_view m : list) {
    if (take(m)) return i;
    ++i;
  }
  return i;
}

std::size_t decoder::take_one_of(std::initializer_list<std::string_view> list) {
  std::size_t const i = maybe_one_of(list);
  if (i < list.size()) return i;
  std::string wanted;
  for (std::string_view m : list) wanted += " ." + std::string(m);
  fail((has_more() ? "unknown modifier ." + std::string(peek()) : std::string("a modifier is missing")) + ": expected one of" + wanted);
}

scalar decoder::take_type(std::initializer_list<scalar> allowed) {
  scalar const t = scalar_named(peek());
  if (std::find(allowed.begin(), allowed.end(), t) == allowed.end() || t == scalar::none)
    fail(has_more() ? "unknown type or modifier ." + std::string(peek()) : "a type is missing");
  ++part_;
  return t;
}

operand const& decoder::next() {
  if (!has_operand()) fail("an operand is missing");
  return text.operands[operand_++];
}

std::uint32_t decoder::source(scalar t) { return source_of(next(), t); }

std::uint32_t decoder::source_of(operand const& o, scalar t, bool wider) {
  unsigned const bits = bits_of(t);
  std::uint64_t const mask = bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
  if (!o.second.empty()) fail("an operand has a | it cannot have");
  if (o.negated) fail("an operand has a ! it cannot have");
  switch (o.what) {
    case operand::kind::reg:
      if ((o.declared == scalar::pred) != (t == scalar::pred)) fail("predicates and numbers do not mix");
      if (wider ? bits_of(o.declared) < bits : bits_of(o.declared) != bits)
        fail("an operand has " + std::to_string(bits_of(o.declared)) + " bits, not " + std::to_string(bits));
      return o.slot;
    case operand::kind::integer:
      if (t == scalar::f32 || t == scalar::f64) fail("a whole number stands for a floating-point one");
      return builder.constant(t == scalar::pred ? o.bits != 0 : o.bits & mask);
    case operand::kind::real:
      if (o.real_bits == 0 && t == scalar::f64) return builder.constant(std::bit_cast<std::uint64_t>(o.decimal));
      if (o.real_bits == 0 && t == scalar::f32) return builder.constant(std::bit_cast<std::uint32_t>(static_cast<float>(o.decimal)));
      if (o.real_bits != bits) fail("a floating-point number has the wrong width");
      return builder.constant(o.bits);
    case operand::kind::symbol: {
      symbol const named = builder.find(o.name);
      if (named.what == symbol::kind::none || named.what == symbol::kind::prototype) fail("unknown symbol " + std::string(o.name));
      if (bits != 64 && !(bits == 32 && (named.what == symbol::kind::shared || named.what == symbol::kind::dynamic_shared ||
                                         named.what == symbol::kind::local || named.what == symbol::kind::param)))
        fail("the address of " + std::string(o.name) + " does not fit");
      return builder.symbol_slot(named, o.offset);
    }
    default: fail("an operand is neither a register nor a constant");
  }
}

std::uint32_t decoder::destination(scalar t) { return destination_of(next(), t); }

std::uint32_t decoder::destination_of(operand const& o, scalar t, bool wider) {
  if (o.what == operand::kind::sink) return builder.new_slot(0);   // written, never read
  if (o.what != operand::kind::reg || o.negated || !o.second.empty()) fail("a result must go to a register");
  if ((o.declared == scalar::pred) != (t == scalar::pred)) fail("predicates and numbers do not mix");
  if (wider ? bits_of(o.declared) < bits_of(t) : bits_of(o.declared) != bits_of(t))
    fail("the result's register has " + std::to_string(bits_of(o.declared)) + " bits, not " + std::to_string(bits_of(t)));
  return o.slot;
}

unsigned decoder::register_bits(operand const& o) const { return o.what == operand::kind::reg ? bits_of(o.declared) : 0; }

address decoder::memory(space in) { return memory_of(next(), in); }

address decoder::memory_of(operand const& o, space in) {
  if (o.what != operand::kind::address || !o.second.empty() || o.negated) fail("an operand must be an address in [ ]");
  if (o.parts.empty()) return {builder.constant(0), o.offset, {}};
  operand const& base = o.parts.front();
  if (base.what == operand::kind::reg) {
    bool const narrow = in == space::shared || in == space::local || in == space::param;
    if (bits_of(base.declared) != 64 && !(narrow && bits_of(base.declared) == 32)) fail("an address register must have 64 bits");
    return {base.slot, o.offset, {}};
  }
  symbol const named = builder.find(base.name);
  space of = space::generic;
  switch (named.what) {
    case symbol::kind::variable: of = named.constant ? space::constant : space::global; break;
    case symbol::kind::param: of = space::param; break;
    case symbol::kind::local: of = space::local; break;
    case symbol::kind::shared: case symbol::kind::dynamic_shared: of = space::shared; break;
    default: fail("unknown symbol " + std::string(base.name));
  }
  if (in != space::generic && in != of) fail(std::string(base.name) + " lies in another state space");
  if (in == space::generic && of != space::global && of != space::constant) fail(std::string(base.name) + " has no generic address here");
  if (of == space::param) return {builder.constant(0), static_cast<std::int64_t>(named.index) + o.offset, named};
  return {builder.symbol_slot(named, o.offset), 0, named};
}

std::uint32_t decoder::address_slot(space in, std::int64_t& offset) {
  address const a = memory(in);
  offset = a.offset;
  return a.slot;
}

std::int64_t decoder::immediate(std::int64_t least, std::int64_t most) {
  operand const& o = next();
  auto const value = static_cast<std::int64_t>(o.bits);
  if (o.what != operand::kind::integer || value < least || value > most)
    fail("an operand must be a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

void decoder::emit(handler h) {
  if (!h) fail("this opcode does not know this type");
  if (has_more()) fail("unknown modifier ." + std::string(peek()));
  if (has_operand()) fail("too many operands");
  out.execute = h;
  out.guard = text.guard;
  out.skip_when = text.guard_negated;
  builder.f.code.push_back(out);
}

void decoder::fail(std::string const& message) const { builder.text.fail(message, text.line); }

opcode_kind kind_of(scalar t) {
  if (t == scalar::none) return opcode_kind::any;
  if (t == scalar::pred) return opcode_kind::predicate;
  if (is_half(t)) return opcode_kind::half;
  return is_integer(t) || t == scalar::u16x2 || t == scalar::s16x2 ? opcode_kind::integer : opcode_kind::real;
}

void opcode_table::add(std::string_view name, opcode_kind kind, decode_function f) {
  entries_[std::string(name) + char('0' + static_cast<int>(kind))] = f;
}

decode_function opcode_table::find(std::string_view name, opcode_kind kind) const {
  for (opcode_kind k : {kind, opcode_kind::any})
    if (auto const found = entries_.find(std::string(name) + char('0' + static_cast<int>(k))); found != entries_.end())
      return found->second;
  return nullptr;
}

}  // namespace ptx_machine
