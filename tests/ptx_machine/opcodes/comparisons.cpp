// Comparisons and selections: setp, set, selp, slct.
#include <array>

#include "opcodes/handlers.hpp"
#include "opcodes/rounded.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

enum class comparison : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum combination : std::uint16_t { plain, with_and, with_or, with_xor };   // flags, beside ftz

template <comparison c, class T> bool compare(T a, T b) {
  bool const unordered = a != a || b != b;
  if constexpr (c == comparison::eq) return a == b;
  else if constexpr (c == comparison::ne) return !unordered && a != b;
  else if constexpr (c == comparison::lt) return a < b;
  else if constexpr (c == comparison::le) return a <= b;
  else if constexpr (c == comparison::gt) return a > b;
  else if constexpr (c == comparison::ge) return a >= b;
  else if constexpr (c == comparison::num) return !unordered;
  else if constexpr (c == comparison::nan) return unordered;
  else return unordered || compare<static_cast<comparison>(static_cast<int>(c) - static_cast<int>(comparison::equ))>(a, b);
}

bool combine(std::uint16_t how, bool x, bool p) {
  switch (how & 7) {
    case with_and: return x && p;
    case with_or: return x || p;
    case with_xor: return x != p;
    default: return x;
  }
}

template <class T> auto value(frame const& f, std::uint32_t slot, bool ftz) {
  T const x = get<T>(f, slot);
  if constexpr (std::is_same_v<T, float>) return ftz ? flush(x) : x;
  else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat>) {
    double const v = to_double(x);
    return ftz && std::fabs(v) < 0x1p-14 ? std::copysign(0.0, v) : v;
  } else return x;
}

/// c: the predicate to combine with; list: the second result, from the negated comparison.
template <comparison c, class T> instruction const* setp(frame& f, instruction const& i) {
  bool const ftz = i.flags & flag::ftz;
  bool const x = compare<c>(value<T>(f, i.a, ftz), value<T>(f, i.b, ftz));
  if (!(i.flags & 7) && i.value == 0) {
    f.r[i.d] = x;
    return &i + 1;
  }
  bool const p = i.c == no_slot || (f.r[i.c] != 0) != static_cast<bool>(i.value & 2);   // !c
  std::uint64_t const first = combine(i.flags, x, p), second = combine(i.flags, !x, p);
  f.r[i.d] = first;
  if (i.value & 1) f.r[i.list] = second;
  return &i + 1;
}
template <comparison c, class T> instruction const* setp_pair(frame& f, instruction const& i) {   // a result for each half
  auto const a = get<pair_of<T>>(f, i.a), b = get<pair_of<T>>(f, i.b);
  bool const p = i.c == no_slot || (f.r[i.c] != 0) != static_cast<bool>(i.value & 2), ftz = i.flags & flag::ftz;
  auto const flushed = [ftz](T x) {
    double const v = to_double(x);
    return ftz && std::fabs(v) < 0x1p-14 ? std::copysign(0.0, v) : v;
  };
  std::uint64_t const low = combine(i.flags, compare<c>(flushed(a.low), flushed(b.low)), p);
  std::uint64_t const high = combine(i.flags, compare<c>(flushed(a.high), flushed(b.high)), p);
  f.r[i.d] = low;
  f.r[i.list] = high;
  return &i + 1;
}
/// All ones or 1.0, else 0. value: 4 for f32 results, otherwise the bits of "true" of the result's type.
template <comparison c, class T> instruction const* set(frame& f, instruction const& i) {
  bool const ftz = i.flags & flag::ftz;
  bool const p = i.c == no_slot || (f.r[i.c] != 0) != static_cast<bool>(i.list);
  bool const x = combine(i.flags, compare<c>(value<T>(f, i.a, ftz), value<T>(f, i.b, ftz)), p);
  f.r[i.d] = x ? static_cast<std::uint64_t>(i.value) : 0;
  return &i + 1;
}
/// The same for pairs: value is "true" of one half.
template <comparison c, class T> instruction const* set_pair(frame& f, instruction const& i) {
  auto const a = get<pair_of<T>>(f, i.a), b = get<pair_of<T>>(f, i.b);
  bool const p = i.c == no_slot || (f.r[i.c] != 0) != static_cast<bool>(i.list), ftz = i.flags & flag::ftz;
  auto const one = [&](T x, T y) {
    auto const flushed = [ftz](double v) { return ftz && std::fabs(v) < 0x1p-14 ? std::copysign(0.0, v) : v; };
    return combine(i.flags, compare<c>(flushed(to_double(x)), flushed(to_double(y))), p) ? static_cast<std::uint32_t>(i.value) : 0u;
  };
  put<std::uint32_t>(f, i.d, one(a.low, b.low) | one(a.high, b.high) << 16);
  return &i + 1;
}

#define PTX_MACHINE_COMPARISONS(op)                                                                                                        \
  template <class T, std::size_t... c> constexpr std::array<handler, sizeof...(c)> op##_table(std::index_sequence<c...>) {                 \
    return {&op<static_cast<comparison>(c), T>...};                                                                                        \
  }                                                                                                                                        \
  template <class... T> handler op##_of(type_list<T...>, scalar t, comparison c) {                                                         \
    handler found = nullptr;                                                                                                               \
    ((scalar_of<T> == as_number(t)                                                                                                         \
          ? void(found = op##_table<T>(std::make_index_sequence<14>{})[static_cast<std::size_t>(c)])                                       \
          : void()),                                                                                                                       \
     ...);                                                                                                                                 \
    return found;                                                                                                                          \
  }
PTX_MACHINE_COMPARISONS(setp)
PTX_MACHINE_COMPARISONS(set)
#undef PTX_MACHINE_COMPARISONS
using compared =
    type_list<std::uint16_t, std::uint32_t, std::uint64_t, std::int16_t, std::int32_t, std::int64_t, half, bfloat, float, double>;
template <class T, std::size_t... c> handler pair_handler(bool setp_form, comparison which, std::index_sequence<c...>) {
  constexpr handler setps[] = {&setp_pair<static_cast<comparison>(c), T>...}, sets[] = {&set_pair<static_cast<comparison>(c), T>...};
  return setp_form ? setps[static_cast<std::size_t>(which)] : sets[static_cast<std::size_t>(which)];
}

comparison take_comparison(decoder& d, scalar type) {
  if (!is_integer(type)) return static_cast<comparison>(
      d.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}));
  std::string_view const name = d.peek();
  constexpr comparison meaning[] = {comparison::eq, comparison::ne, comparison::lt, comparison::le, comparison::gt,
                                    comparison::ge, comparison::lt, comparison::le, comparison::gt, comparison::ge};
  std::size_t const which = d.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"});
  if (is_bits(type) && which > 1) d.fail("." + std::string(name) + " is not for bits");
  if (is_signed(type) && which > 5) d.fail("." + std::string(name) + " is not for signed numbers");
  return meaning[which];
}
void take_combination(decoder& d) {
  d.out.flags |= static_cast<std::uint16_t>((d.maybe_one_of({"and", "or", "xor"}) + 1) % 4);
  if (d.take("ftz")) d.out.flags |= flag::ftz;
}
scalar take_compared_type(decoder& d) {
  return d.take_type(
      {s::b16, s::b32, s::b64, s::u16, s::u32, s::u64, s::s16, s::s32, s::s64, s::f16, s::f16x2, s::bf16, s::bf16x2, s::f32, s::f64});
}
void check_ftz(decoder& d, scalar t) {
  if (d.out.flags & flag::ftz && t != s::f32 && t != s::f16 && t != s::f16x2) d.fail(".ftz is not for this type");
}
/// [!]c after the operands, where a combination was named.
bool take_predicate(decoder& d) {
  if (!(d.out.flags & 7)) return false;
  operand o = d.next();
  bool const negated = o.negated;
  o.negated = false;
  d.out.c = d.source_of(o, s::pred);
  return negated;
}

void decode_setp(decoder& d) {
  scalar const last = d.last_type();
  comparison const how = take_comparison(d, last);
  take_combination(d);
  scalar const t = take_compared_type(d);
  check_ftz(d, t);
  operand first = d.next();
  bool const two = !first.second.empty();
  operand const second = two ? first.second.front() : operand();
  first.second.clear();
  d.out.d = d.destination_of(first, s::pred);
  if (two) d.out.list = d.destination_of(second, s::pred);
  d.out.a = d.source(t);
  d.out.b = d.source(t);
  bool const negated = take_predicate(d);
  d.out.value = (two ? 1 : 0) | (negated ? 2 : 0);
  if (t == s::f16x2 || t == s::bf16x2) {
    if (!two) d.fail("two predicates are needed");
    auto const all = std::make_index_sequence<14>{};
    return d.emit(t == s::f16x2 ? pair_handler<half>(true, how, all) : pair_handler<bfloat>(true, how, all));
  }
  d.emit(setp_of(compared{}, t, how));
}

void decode_set(decoder& d) {
  scalar const last = d.last_type();
  comparison const how = take_comparison(d, last);
  take_combination(d);
  scalar const result = d.take_type({s::u32, s::s32, s::f32, s::f16, s::bf16, s::u16, s::s16, s::f16x2, s::bf16x2});
  scalar const t = take_compared_type(d);
  check_ftz(d, t);
  bool const of_pairs = t == s::f16x2 || t == s::bf16x2;
  if (!of_pairs && (result == s::f16x2 || result == s::bf16x2)) d.fail("a pair needs operands that are pairs");
  if (of_pairs && result != t && result != s::u32 && result != s::s32) d.fail("the result must be a pair, too");
  switch (result) {
    case s::f32: d.out.value = 0x3f800000; break;
    case s::f16: case s::f16x2: d.out.value = 0x3c00; break;
    case s::bf16: case s::bf16x2: d.out.value = 0x3f80; break;
    default: d.out.value = bits_of(result) == 16 || of_pairs ? 0xffff : 0xffffffff;
  }
  d.out.d = d.destination(result);
  d.out.a = d.source(t);
  d.out.b = d.source(t);
  d.out.list = take_predicate(d);
  auto const all = std::make_index_sequence<14>{};
  if (of_pairs) return d.emit(t == s::f16x2 ? pair_handler<half>(false, how, all) : pair_handler<bfloat>(false, how, all));
  d.emit(set_of(compared{}, t, how));
}

instruction const* selp(frame& f, instruction const& i) {
  f.r[i.d] = f.r[i.c] ? f.r[i.a] : f.r[i.b];
  return &i + 1;
}
template <class T> instruction const* slct(frame& f, instruction const& i) {   // a where c >= 0; NaN is not
  T c = get<T>(f, i.c);
  if constexpr (std::is_same_v<T, float>)
    if (i.flags & flag::ftz) c = flush(c);
  f.r[i.d] = c >= 0 ? f.r[i.a] : f.r[i.b];
  return &i + 1;
}

}  // namespace

void add_comparisons(opcode_table& t) {
  t.add("setp", opcode_kind::any, decode_setp);
  t.add("set", opcode_kind::any, decode_set);
  t.add("selp", opcode_kind::any, [](decoder& d) {
    scalar const type = d.take_type({s::b16, s::b32, s::b64, s::u16, s::u32, s::u64, s::s16, s::s32, s::s64, s::f32, s::f64});
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(type);
    d.out.c = d.source(s::pred);
    d.emit(selp);
  });
  t.add("slct", opcode_kind::any, [](decoder& d) {
    if (d.take("ftz")) d.out.flags |= flag::ftz;
    scalar const type = d.take_type({s::b16, s::b32, s::b64, s::u16, s::u32, s::u64, s::s16, s::s32, s::s64, s::f32, s::f64});
    scalar const by = d.take_type({s::s32, s::f32});
    if (by == s::s32 && d.out.flags) d.fail(".ftz is not for this type");
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(type);
    d.out.c = d.source(by);
    d.emit(by == s::f32 ? &slct<float> : &slct<std::int32_t>);
  });
}

}  // namespace ptx_machine
