// Handlers made of an operation on values, for each type of a list.
#pragma once
#include "interpreter/decoder.hpp"
#include "opcodes/groups.hpp"

namespace ptx_machine {

template <class Op, class T> instruction const* unary(frame& f, instruction const& i) {
  put<T>(f, i.d, Op{}(get<T>(f, i.a)));
  return &i + 1;
}
template <class Op, class T> instruction const* binary(frame& f, instruction const& i) {
  put<T>(f, i.d, Op{}(get<T>(f, i.a), get<T>(f, i.b)));
  return &i + 1;
}
template <class Op, class T> instruction const* ternary(frame& f, instruction const& i) {
  put<T>(f, i.d, Op{}(get<T>(f, i.a), get<T>(f, i.b), get<T>(f, i.c)));
  return &i + 1;
}

#define PTX_MACHINE_CHOICE(shape)                                                              \
  template <class Op, class... T> handler shape##_of(type_list<T...>, scalar t) {              \
    handler found = nullptr;                                                                   \
    ((scalar_of<T> == as_number(t) ? void(found = &shape<Op, T>) : void()), ...);              \
    return found;                                                                              \
  }
PTX_MACHINE_CHOICE(unary)
PTX_MACHINE_CHOICE(binary)
PTX_MACHINE_CHOICE(ternary)
#undef PTX_MACHINE_CHOICE

/// The operands d, a[, b[, c]] of one type, then the handler.
inline void emit_unary(decoder& d, scalar t, handler h) {
  d.out.d = d.destination(t);
  d.out.a = d.source(t);
  d.emit(h);
}
inline void emit_binary(decoder& d, scalar t, handler h) {
  d.out.d = d.destination(t);
  d.out.a = d.source(t);
  d.out.b = d.source(t);
  d.emit(h);
}
inline void emit_ternary(decoder& d, scalar t, handler h) {
  d.out.d = d.destination(t);
  d.out.a = d.source(t);
  d.out.b = d.source(t);
  d.out.c = d.source(t);
  d.emit(h);
}

}  // namespace ptx_machine
