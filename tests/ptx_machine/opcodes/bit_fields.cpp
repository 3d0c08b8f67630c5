// Counting and moving bits: popc, clz, bfind, fns, brev, bfe, bfi, prmt, szext, bmsk.
#include <algorithm>
#include <bit>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
using words = type_list<std::uint32_t, std::uint64_t>;
using words_and_signed = type_list<std::uint32_t, std::uint64_t, std::int32_t, std::int64_t>;

template <class T> struct popc {   // the result has 32 bits
  static instruction const* run(frame& f, instruction const& i) {
    put(f, i.d, static_cast<std::uint32_t>(std::popcount(get<T>(f, i.a))));
    return &i + 1;
  }
};
template <class T> struct clz {
  static instruction const* run(frame& f, instruction const& i) {
    put(f, i.d, static_cast<std::uint32_t>(std::countl_zero(get<T>(f, i.a))));
    return &i + 1;
  }
};
/// The place of the highest bit that is not the sign's; 0xffffffff where there is none. Flag 1: how far it is from the top instead.
template <class T> struct bfind {
  static instruction const* run(frame& f, instruction const& i) {
    using u = std::make_unsigned_t<T>;
    T const a = get<T>(f, i.a);
    u const significant = a < 0 ? static_cast<u>(~a) : static_cast<u>(a);
    auto const at = static_cast<std::uint32_t>(std::bit_width(significant)) - 1;   // 0 gives all ones
    put(f, i.d, significant && i.flags ? static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - at : at);
    return &i + 1;
  }
};
template <class T> struct brev {
  static instruction const* run(frame& f, instruction const& i) {
    T a = get<T>(f, i.a), r = 0;
    for (unsigned k = 0; k < sizeof(T) * 8; ++k, a = static_cast<T>(a >> 1)) r = static_cast<T>(r << 1 | (a & 1));
    put(f, i.d, r);
    return &i + 1;
  }
};
/// c bits of a from bit b on; beyond the top come zeros, or the sign of the field.
template <class T> struct bfe {
  static instruction const* run(frame& f, instruction const& i) {
    T const a = get<T>(f, i.a);
    constexpr std::uint32_t top = sizeof(T) * 8 - 1;
    std::uint32_t const begin = get<std::uint32_t>(f, i.b) & 0xff, length = get<std::uint32_t>(f, i.c) & 0xff;
    auto const bit = [&](std::uint32_t k) { return (static_cast<std::uint64_t>(a) >> k) & 1; };
    std::uint64_t const sign = !std::is_signed_v<T> || length == 0 ? 0 : bit(std::min(begin + length - 1, top));
    std::uint64_t r = 0;
    for (std::uint32_t k = 0; k <= top; ++k) r |= (k < length && begin + k <= top ? bit(begin + k) : sign) << k;
    put(f, i.d, static_cast<T>(r));
    return &i + 1;
  }
};
/// b with the low bits of a put in: operands a, b in slots a and b, then begin and length.
template <class T> struct bfi {
  static instruction const* run(frame& f, instruction const& i) {
    T const a = get<T>(f, i.a);
    T r = get<T>(f, i.b);
    std::uint32_t const begin = get<std::uint32_t>(f, i.c) & 0xff, length = get<std::uint32_t>(f, f.code.lists[i.list]) & 0xff;
    for (std::uint32_t k = 0; k < length && begin + k < sizeof(T) * 8; ++k) {
      T const mask = static_cast<T>(T(1) << (begin + k));
      r = static_cast<T>(a >> k & 1 ? r | mask : r & ~mask);
    }
    put(f, i.d, r);
    return &i + 1;
  }
};

/// The place of the n-th set bit of a mask from a base on: upwards for n > 0, downwards for n < 0; the base itself for n = 0 if set.
instruction const* fns(frame& f, instruction const& i) {
  auto const mask = get<std::uint32_t>(f, i.a), base = get<std::uint32_t>(f, i.b);
  auto n = get<std::int32_t>(f, i.c);
  std::uint32_t found = 0xffffffff;
  int const step = n < 0 ? -1 : 1;
  std::int64_t left = n < 0 ? -std::int64_t(n) : n;
  if (left == 0) {
    if (base < 32 && mask >> base & 1) found = base;
  } else {
    for (std::int64_t k = base; k >= 0 && k < 32; k += step)
      if (mask >> k & 1 && --left == 0) {
        found = static_cast<std::uint32_t>(k);
        break;
      }
  }
  put(f, i.d, found);
  return &i + 1;
}

/// Four bytes chosen from the eight of b:a. Without a mode: by the nibbles of c, whose top bit asks for the sign in all bits.
instruction const* prmt(frame& f, instruction const& i) {
  std::uint64_t const bytes = std::uint64_t(get<std::uint32_t>(f, i.b)) << 32 | get<std::uint32_t>(f, i.a);
  auto const c = get<std::uint32_t>(f, i.c);
  unsigned const n = c & 3;
  std::uint32_t r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    unsigned pick = 0;
    bool sign = false;
    switch (i.flags) {
      case 0: pick = c >> (4 * k) & 7; sign = c >> (4 * k + 3) & 1; break;
      case 1: pick = n + k; break;                             // f4e: four bytes forward
      case 2: pick = (n - k) & 7; break;                       // b4e: four bytes backward
      case 3: pick = n; break;                                 // rc8: one byte, replicated
      case 4: pick = std::max(n, k); break;                    // ecl: the edge clamped on the left
      case 5: pick = std::min(n, k); break;                    // ecr: on the right
      default: pick = (n & 1) * 2 + (k & 1); break;            // rc16: one half, replicated
    }
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * pick) & 0xff);
    if (sign) byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * k);
  }
  put(f, i.d, r);
  return &i + 1;
}

/// a cut to n bits and extended again. Flags: 1 wrap (n modulo 32), 2 signed.
instruction const* szext(frame& f, instruction const& i) {
  auto const a = get<std::uint32_t>(f, i.a);
  std::uint32_t n = get<std::uint32_t>(f, i.b);
  n = i.flags & 1 ? n & 31 : std::min(n, 32u);
  std::uint32_t r = n == 32 ? a : a & ((1u << n) - 1);
  if (i.flags & 2 && n && n < 32 && r >> (n - 1)) r |= ~0u << n;
  put(f, i.d, r);
  return &i + 1;
}
/// b ones from bit a on. Flag 1: both modulo 32.
instruction const* bmsk(frame& f, instruction const& i) {
  auto const a = get<std::uint32_t>(f, i.a), b = get<std::uint32_t>(f, i.b);
  std::uint32_t const begin = i.flags ? a & 31 : std::min(a, 32u), length = i.flags ? b & 31 : std::min(b, 32u);
  put(f, i.d, static_cast<std::uint32_t>(((std::uint64_t(1) << length) - 1) << begin));
  return &i + 1;
}

template <template <class> class Op> void decode_count(decoder& d) {
  scalar const t = d.take_type({s::b32, s::b64});
  d.out.d = d.destination(s::u32);
  d.out.a = d.source(t);
  d.emit(choose<Op>(words{}, t));
}

void decode_prmt(decoder& d) {
  d.take_type({s::b32});   // the type stands before the mode
  std::size_t const mode = d.maybe_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  d.out.flags = static_cast<std::uint16_t>(mode == 6 ? 0 : mode + 1);
  emit_ternary(d, s::b32, prmt);
}

}  // namespace

void add_bit_fields(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::integer, f); };
  add("popc", decode_count<popc>);
  add("clz", decode_count<clz>);
  add("bfind", [](decoder& d) {
    d.out.flags = d.take("shiftamt");
    scalar const type = d.take_type({s::u32, s::u64, s::s32, s::s64});
    d.out.d = d.destination(s::u32);
    d.out.a = d.source(type);
    d.emit(choose<bfind>(words_and_signed{}, type));
  });
  add("brev", [](decoder& d) {
    scalar const type = d.take_type({s::b32, s::b64});
    emit_unary(d, type, choose<brev>(words{}, type));
  });
  add("bfe", [](decoder& d) {
    scalar const type = d.take_type({s::u32, s::u64, s::s32, s::s64});
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(s::u32);
    d.out.c = d.source(s::u32);
    d.emit(choose<bfe>(words_and_signed{}, type));
  });
  add("bfi", [](decoder& d) {
    scalar const type = d.take_type({s::b32, s::b64});
    d.out.d = d.destination(type);
    d.out.a = d.source(type);
    d.out.b = d.source(type);
    d.out.c = d.source(s::u32);
    d.begin_list();
    d.list(d.source(s::u32));
    d.emit(choose<bfi>(words{}, type));
  });
  add("fns", [](decoder& d) { emit_ternary(d, d.take_type({s::b32}), fns); });
  t.add("prmt", opcode_kind::any, decode_prmt);
  add("szext", [](decoder& d) {
    if (d.take_one_of({"clamp", "wrap"}) == 1) d.out.flags |= 1;
    if (d.take_type({s::u32, s::s32}) == s::s32) d.out.flags |= 2;
    emit_binary(d, s::b32, szext);
  });
  add("bmsk", [](decoder& d) {
    d.out.flags = d.take_one_of({"clamp", "wrap"}) == 1;
    emit_binary(d, d.take_type({s::b32}), bmsk);
  });
}

}  // namespace ptx_machine
