// Logic and shifts: and, or, xor, not, cnot, lop3, shl, shr, shf.
#include <algorithm>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
using bits = type_list<std::uint16_t, std::uint32_t, std::uint64_t>;

struct and_op { template <class T> T operator()(T a, T b) const { return static_cast<T>(a & b); } };
struct or_op { template <class T> T operator()(T a, T b) const { return static_cast<T>(a | b); } };
struct xor_op { template <class T> T operator()(T a, T b) const { return static_cast<T>(a ^ b); } };
struct not_op { template <class T> T operator()(T a) const { return static_cast<T>(~a); } };
struct cnot_op { template <class T> T operator()(T a) const { return a == 0; } };

scalar bit_type(decoder& d) { return d.take_type({s::b16, s::b32, s::b64}); }

template <class Op> void decode_binary(decoder& d) {
  scalar const t = bit_type(d);
  emit_binary(d, t, binary_of<Op>(bits{}, t));
}

instruction const* not_predicate(frame& f, instruction const& i) {
  f.r[i.d] = !f.r[i.a];
  return &i + 1;
}
template <class Op> instruction const* of_predicates(frame& f, instruction const& i) {
  f.r[i.d] = Op{}(f.r[i.a], f.r[i.b]);   // each is 0 or 1
  return &i + 1;
}
template <class Op> void decode_predicates(decoder& d) { emit_binary(d, d.take_type({s::pred}), &of_predicates<Op>); }

/// Bit by bit: the bit of the table that a, b and c name (a the highest).
instruction const* lop3(frame& f, instruction const& i) {
  auto const a = get<std::uint32_t>(f, i.a), b = get<std::uint32_t>(f, i.b), c = get<std::uint32_t>(f, i.c);
  std::uint32_t r = 0;
  for (unsigned k = 0; k < 8; ++k)
    if (i.value >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  put(f, i.d, r);
  return &i + 1;
}

/// Amounts above the width give 0, or the sign in every bit.
template <class T> struct shift_left {
  static instruction const* run(frame& f, instruction const& i) {
    auto const n = get<std::uint32_t>(f, i.b);
    put<T>(f, i.d, n >= sizeof(T) * 8 ? T(0) : static_cast<T>(std::uint64_t(get<T>(f, i.a)) << n));
    return &i + 1;
  }
};
template <class T> struct shift_right {
  static instruction const* run(frame& f, instruction const& i) {
    auto const n = get<std::uint32_t>(f, i.b);
    constexpr std::uint32_t width = sizeof(T) * 8;
    T const a = get<T>(f, i.a);
    put<T>(f, i.d, static_cast<T>(n < width ? a >> n : std::is_signed_v<T> ? a >> (width - 1) : 0));
    return &i + 1;
  }
};
template <bool left, bool clamp> instruction const* funnel(frame& f, instruction const& i) {
  auto const lo = get<std::uint32_t>(f, i.a), hi = get<std::uint32_t>(f, i.b), c = get<std::uint32_t>(f, i.c);
  std::uint32_t const n = clamp ? std::min(c, 32u) : c & 31;
  std::uint64_t const both = std::uint64_t(hi) << 32 | lo;
  put(f, i.d, static_cast<std::uint32_t>(left ? n == 32 ? lo : both << n >> 32 : both >> n));
  return &i + 1;
}

}  // namespace

void add_logic(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::integer, f); };
  add("and", decode_binary<and_op>);
  add("or", decode_binary<or_op>);
  add("xor", decode_binary<xor_op>);
  add("not", [](decoder& d) {
    scalar const type = bit_type(d);
    emit_unary(d, type, unary_of<not_op>(bits{}, type));
  });
  add("cnot", [](decoder& d) {
    scalar const type = bit_type(d);
    emit_unary(d, type, unary_of<cnot_op>(bits{}, type));
  });
  t.add("and", opcode_kind::predicate, decode_predicates<and_op>);
  t.add("or", opcode_kind::predicate, decode_predicates<or_op>);
  t.add("xor", opcode_kind::predicate, decode_predicates<xor_op>);
  t.add("not", opcode_kind::predicate, [](decoder& d) { emit_unary(d, d.take_type({s::pred}), not_predicate); });
  add("lop3", [](decoder& d) {
    scalar const type = d.take_type({s::b32});
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(type);
    d.out.c = d.source(type);
    d.out.value = d.immediate(0, 255);
    d.emit(lop3);
  });
  add("shl", [](decoder& d) {
    scalar const type = bit_type(d);
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(s::b32);
    d.emit(choose<shift_left>(bits{}, type));
  });
  add("shr", [](decoder& d) {
    scalar const type = d.take_type({s::b16, s::b32, s::b64, s::u16, s::u32, s::u64, s::s16, s::s32, s::s64});
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(s::b32);
    d.emit(choose<shift_right>(integer_types{}, type));
  });
  add("shf", [](decoder& d) {
    bool const left = d.take_one_of({"l", "r"}) == 0, clamp = d.take_one_of({"clamp", "wrap"}) == 0;
    emit_ternary(d, d.take_type({s::b32}),
                 left    ? clamp ? &funnel<true, true> : &funnel<true, false>
                    : clamp ? &funnel<false, true>
                         : &funnel<false, false>);
  });
}

}  // namespace ptx_machine
