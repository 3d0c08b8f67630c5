// Products of integers: mul, mad, mul24, mad24, dp4a, dp2a.
#include <limits>
#include <type_traits>

#include "opcodes/handlers.hpp"
#include "opcodes/products.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
using products::high;
using products::low;

struct mul_lo {
  template <class T> T operator()(T a, T b) const { return low(a, b); }
};
struct mul_hi {
  template <class T> T operator()(T a, T b) const { return high(a, b); }
};
struct mad_lo {
  template <class T> T operator()(T a, T b, T c) const { return products::sum(low(a, b), c); }
};
struct mad_hi {
  template <class T> T operator()(T a, T b, T c) const { return products::sum(high(a, b), c); }
};
struct mad_hi_saturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    using limits = std::numeric_limits<std::int32_t>;
    std::int64_t const sum = std::int64_t(high(a, b)) + c;
    return static_cast<std::int32_t>(sum < limits::min() ? limits::min() : sum > limits::max() ? limits::max() : sum);
  }
};

template <class T> using wide_t = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                                                     std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T> struct mul_wide {
  static instruction const* run(frame& f, instruction const& i) {
    put<wide_t<T>>(f, i.d, wide_t<T>(get<T>(f, i.a)) * wide_t<T>(get<T>(f, i.b)));
    return &i + 1;
  }
};
template <class T> struct mad_wide {
  static instruction const* run(frame& f, instruction const& i) {
    auto const product = wide_t<T>(get<T>(f, i.a)) * wide_t<T>(get<T>(f, i.b));
    put<wide_t<T>>(f, i.d, products::sum(product, get<wide_t<T>>(f, i.c)));
    return &i + 1;
  }
};
scalar twice(scalar t) {
  switch (t) {
    case s::u16: return s::u32;
    case s::s16: return s::s32;
    case s::u32: return s::u64;
    default: return s::s64;
  }
}
using narrow = type_list<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t>;
scalar any_type(decoder& d) { return d.take_type({s::u16, s::u32, s::u64, s::s16, s::s32, s::s64}); }

void decode_mul(decoder& d) {
  switch (d.take_one_of({"lo", "hi", "wide"})) {
    case 0: {
      scalar const t = any_type(d);
      return emit_binary(d, t, binary_of<mul_lo>(integer_types{}, t));
    }
    case 1: {
      scalar const t = any_type(d);
      return emit_binary(d, t, binary_of<mul_hi>(integer_types{}, t));
    }
    default: {
      scalar const t = d.take_type({s::u16, s::s16, s::u32, s::s32});
      d.out.d = d.destination(twice(t));
      d.out.a = d.source(t);
      d.out.b = d.source(t);
      d.emit(choose<mul_wide>(narrow{}, t));
    }
  }
}

/// 24-bit factors, sign- or zero-extended; the low 32 or the high 32 of the product's 48 bits.
template <class T, bool hi> T product_24(T a, T b) {
  auto const cut = [](T x) {
    return std::is_signed_v<T> ? T(static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8)
                               : T(static_cast<std::uint32_t>(x) & 0xffffff);
  };
  auto const p = static_cast<wide_t<T>>(cut(a)) * static_cast<wide_t<T>>(cut(b));
  return static_cast<T>(hi ? p >> 16 : p);
}
template <bool hi> struct mul24_op {
  template <class T> T operator()(T a, T b) const { return product_24<T, hi>(a, b); }
};
template <bool hi> struct mad24_op {
  template <class T> T operator()(T a, T b, T c) const { return products::sum(product_24<T, hi>(a, b), c); }
};
using words = type_list<std::uint32_t, std::int32_t>;

/// Bytes (or 16-bit and byte pairs) multiplied and added to c. Flags: 1, a signed; 2, b signed; 4, the high bytes of b (dp2a).
template <int parts> instruction const* dot(frame& f, instruction const& i) {
  auto const a = get<std::uint32_t>(f, i.a), b = get<std::uint32_t>(f, i.b);
  auto const part = [](std::uint32_t x, int at, int bits, bool is_signed) {
    auto const raw = static_cast<std::int64_t>(x >> (at * bits) & ((1u << bits) - 1));
    return is_signed && raw >> (bits - 1) ? raw - (std::int64_t(1) << bits) : raw;
  };
  std::int64_t sum = get<std::uint32_t>(f, i.c);
  for (int k = 0; k < parts; ++k)
    sum += part(a, k, 32 / parts, i.flags & 1) * part(b, k + (i.flags & 4 ? 2 : 0), 8, i.flags & 2);
  put<std::uint32_t>(f, i.d, static_cast<std::uint32_t>(sum));
  return &i + 1;
}
template <int parts> void decode_dot(decoder& d) {
  if (parts == 2 && d.take_one_of({"lo", "hi"}) == 1) d.out.flags |= 4;
  if (d.take_type({s::u32, s::s32}) == s::s32) d.out.flags |= 1;
  if (d.take_type({s::u32, s::s32}) == s::s32) d.out.flags |= 2;
  emit_ternary(d, s::b32, &dot<parts>);
}

}  // namespace

void decode_plain_mad(decoder& d, bool hi) {
  if (hi && d.take("sat")) return emit_ternary(d, d.take_type({s::s32}), &ternary<mad_hi_saturated, std::int32_t>);
  scalar const t = any_type(d);
  emit_ternary(d, t, hi ? ternary_of<mad_hi>(integer_types{}, t) : ternary_of<mad_lo>(integer_types{}, t));
}

void decode_wide_mad(decoder& d) {
  scalar const t = d.take_type({s::u16, s::s16, s::u32, s::s32});
  d.out.d = d.destination(twice(t));
  d.out.a = d.source(t);
  d.out.b = d.source(t);
  d.out.c = d.source(twice(t));
  d.emit(choose<mad_wide>(narrow{}, t));
}

void add_integer_products(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::integer, f); };
  add("mul", decode_mul);
  add("mul24", [](decoder& d) {
    bool const hi = d.take_one_of({"lo", "hi"}) == 1;
    scalar const type = d.take_type({s::u32, s::s32});
    emit_binary(d, type, hi ? binary_of<mul24_op<true>>(words{}, type) : binary_of<mul24_op<false>>(words{}, type));
  });
  add("mad24", [](decoder& d) {
    bool const hi = d.take_one_of({"lo", "hi"}) == 1;
    scalar const type = d.take_type({s::u32, s::s32});
    emit_ternary(d, type, hi ? ternary_of<mad24_op<true>>(words{}, type) : ternary_of<mad24_op<false>>(words{}, type));
  });
  add("dp4a", decode_dot<4>);
  add("dp2a", decode_dot<2>);
}

}  // namespace ptx_machine
