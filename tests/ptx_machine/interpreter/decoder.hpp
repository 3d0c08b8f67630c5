// Turns a statement into an instruction: every opcode has a function that takes its modifiers and operands in the order of the ISA's
// syntax. What is left over is an error, so nothing is guessed.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "builder.hpp"

namespace ptx_machine {

/// Where an address operand points: a slot plus an offset.
struct address {
  std::uint32_t slot;
  std::int64_t offset;
  symbol named;          ///< kind none: a register, or an absolute number
};

class decoder {
 public:
  decoder(function_builder& into, statement const& from, site (*make_site)(void*), void* with)
      : builder(into), text(from), make_site_(make_site), with_(with) {}

  // Modifiers, in order.
  bool take(std::string_view);
  std::size_t take_one_of(std::initializer_list<std::string_view>);      ///< its place in the list; an error where none of them comes
  std::size_t maybe_one_of(std::initializer_list<std::string_view>);     ///< the length of the list where none of them comes
  scalar take_type(std::initializer_list<scalar>);                       ///< an error where another modifier comes
  bool has_more() const { return part_ < text.parts.size(); }
  std::string_view peek() const { return has_more() ? text.parts[part_] : std::string_view(); }
  scalar last_type() const { return scalar_named(text.parts.back()); }      ///< of the mnemonic's last part; none where that is no type

  // Operands, in order.
  operand const& next();
  bool has_operand() const { return operand_ < text.operands.size(); }
  std::uint32_t source(scalar);                     ///< a register of just this width, or a constant
  std::uint32_t source_of(operand const&, scalar, bool wider = false);
  std::uint32_t destination(scalar);
  std::uint32_t destination_of(operand const&, scalar, bool wider = false);
  address memory(space);                            ///< [a], whose symbol must be in this space (or any, in generic)
  address memory_of(operand const&, space);
  std::uint32_t address_slot(space, std::int64_t& offset);
  std::int64_t immediate(std::int64_t least, std::int64_t most);
  unsigned register_bits(operand const&) const;

  void list(std::uint32_t slot) { builder.f.lists.push_back(slot); }
  void begin_list() { out.list = static_cast<std::uint32_t>(builder.f.lists.size()); }
  void needs_site() { out.at = make_site_(with_); }
  void emit(handler);                               ///< the instruction is complete: nothing may be left over
  [[noreturn]] void fail(std::string const&) const;

  function_builder& builder;
  statement const& text;
  instruction out;

 private:
  std::size_t part_ = 1, operand_ = 0;
  site (*make_site_)(void*);
  void* with_;
};

using decode_function = void (*)(decoder&);
/// Kinds of last types an opcode is looked up by: add of integers and add of floats are different instructions.
enum class opcode_kind : std::uint8_t { any, integer, real, half, predicate };
opcode_kind kind_of(scalar last_type);

class opcode_table {
 public:
  void add(std::string_view name, opcode_kind, decode_function);
  decode_function find(std::string_view name, opcode_kind) const;   ///< nullptr where there is none

 private:
  std::unordered_map<std::string, decode_function> entries_;
};

opcode_table const& opcodes();

/// The handler H<T>::run for the type whose scalar is t (b types are unsigned); nullptr where it is not in the list.
template <template <class> class H, class... T> handler choose(type_list<T...>, scalar t) {
  handler found = nullptr;
  ((scalar_of<T> == as_number(t) ? void(found = &H<T>::run) : void()), ...);
  return found;
}

}  // namespace ptx_machine
