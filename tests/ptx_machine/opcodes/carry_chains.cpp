// Sums, differences and products that leave or take a carry: add.cc, addc, sub.cc, subc, mad.cc, madc. The forms of add, sub and mad
// without a carry are chosen here too, as the modifier is what tells them apart.
#include "opcodes/handlers.hpp"
#include "opcodes/products.hpp"

namespace ptx_machine {

void decode_plain_add(decoder&);
void decode_plain_sub(decoder&);
void decode_plain_mad(decoder&, bool hi);
void decode_wide_mad(decoder&);

namespace {

using s = scalar;
using products::uint128;
constexpr std::uint16_t takes = 1, leaves = 2;   // flags

template <class T> T add_with_carry(frame& f, instruction const& i, T a, T b) {
  uint128 const sum = uint128(a) + b + (i.flags & takes && f.carry);
  if (i.flags & leaves) f.carry = sum >> (sizeof(T) * 8) & 1;
  return static_cast<T>(sum);
}
template <class T> struct sum {
  static instruction const* run(frame& f, instruction const& i) {
    put<T>(f, i.d, add_with_carry(f, i, get<T>(f, i.a), get<T>(f, i.b)));
    return &i + 1;
  }
};
template <class T> struct difference {   // the carry is a borrow
  static instruction const* run(frame& f, instruction const& i) {
    uint128 const r = uint128(get<T>(f, i.a)) - get<T>(f, i.b) - (i.flags & takes && f.carry);
    if (i.flags & leaves) f.carry = r >> (sizeof(T) * 8) & 1;
    put<T>(f, i.d, static_cast<T>(r));
    return &i + 1;
  }
};
template <bool hi> struct product {
  template <class T> struct op {
    static instruction const* run(frame& f, instruction const& i) {
      T const a = get<T>(f, i.a), b = get<T>(f, i.b), c = get<T>(f, i.c);
      using u = std::make_unsigned_t<T>;
      put<u>(f, i.d, add_with_carry<u>(f, i, static_cast<u>(hi ? products::high(a, b) : products::low(a, b)), static_cast<u>(c)));
      return &i + 1;
    }
  };
};
using types = type_list<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
using unsigned_only = type_list<std::uint32_t, std::uint64_t>;
scalar type(decoder& d) { return d.take_type({s::u32, s::s32, s::u64, s::s64}); }
scalar without_sign(scalar t) { return bits_of(t) == 32 ? s::u32 : s::u64; }

template <template <class> class Op, bool with_carry, void (*plain)(decoder&)> void decode_sum(decoder& d) {
  if (d.take("cc")) d.out.flags |= leaves;
  else if (!with_carry) return plain(d);
  if (with_carry) d.out.flags |= takes;
  scalar const t = type(d);
  emit_binary(d, t, choose<Op>(unsigned_only{}, without_sign(t)));
}

template <bool with_carry> void decode_mad(decoder& d) {
  if (!with_carry && d.take("wide")) return decode_wide_mad(d);
  bool const hi = d.take_one_of({"lo", "hi"}) == 1;
  if (d.take("cc")) d.out.flags |= leaves;
  else if (!with_carry) return decode_plain_mad(d, hi);
  if (with_carry) d.out.flags |= takes;
  scalar const t = type(d);
  emit_ternary(d, t, hi ? choose<product<true>::template op>(types{}, t) : choose<product<false>::template op>(types{}, t));
}

}  // namespace

void add_carry_chains(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::integer, f); };
  add("add", decode_sum<sum, false, decode_plain_add>);
  add("addc", decode_sum<sum, true, decode_plain_add>);
  add("sub", decode_sum<difference, false, decode_plain_sub>);
  add("subc", decode_sum<difference, true, decode_plain_sub>);
  add("mad", decode_mad<false>);
  add("madc", decode_mad<true>);
}

}  // namespace ptx_machine
