// cvt from one number to one number: between integers, floating-point formats, and both.
#include <cmath>
#include <limits>
#include <utility>

#include "opcodes/handlers.hpp"
#include "opcodes/rounded.hpp"

namespace ptx_machine {

void decode_packed_conversion(decoder&);
bool is_packed_conversion(decoder const&);

namespace {

using s = scalar;

constexpr std::uint16_t to_integral = 1024;   // flag: the rounding is to a whole number (.rni, .rzi, .rmi, .rpi)
constexpr std::uint16_t wide_result = 2048;   // flag: a signed result goes to a wider register, with its sign

template <class T> constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat>;
template <class T> void put_integer(frame& f, instruction const& i, T x) {
  if (std::is_signed_v<T> && i.flags & wide_result) {
    auto const wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    f.r[i.d] = i.count == 64 ? wide : wide & ((std::uint64_t(1) << i.count) - 1);   // count: bits of the register
  } else {
    put<T>(f, i.d, x);
  }
}

template <class T> T flushed(T x, bool ftz) {
  if constexpr (std::is_same_v<T, float>) return ftz ? flush(x) : x;
  else return x;
}

double to_whole(double x, rounding m) {
  switch (m) {
    case rounding::zero: return std::trunc(x);
    case rounding::down: return std::floor(x);
    case rounding::up: return std::ceil(x);
    default: return std::nearbyint(x);   // the mode in force is to nearest even
  }
}

/// Out of range is clamped; NaN gives 0, but 2^63 where either side has 64 bits.
template <class To> To whole_from(double x, bool wide) {
  using limits = std::numeric_limits<To>;
  if (x != x) return wide ? static_cast<To>(std::uint64_t(1) << (sizeof(To) * 8 - 1)) : To(0);
  if (x <= static_cast<double>(limits::min())) return limits::min();
  if (x >= std::ldexp(1.0, static_cast<int>(sizeof(To) * 8) - std::is_signed_v<To>)) return limits::max();
  return static_cast<To>(x);
}

template <class To, class From> To clamped(From x) {
  using limits = std::numeric_limits<To>;
  if (std::cmp_less(x, limits::min())) return limits::min();
  if (std::cmp_greater(x, limits::max())) return limits::max();
  return static_cast<To>(x);
}

/// An integer to the nearest double, or to odd: then one more rounding does no harm.
template <class From> double integer_to_odd(From x) {
  auto const value = static_cast<long double>(x);   // exact: 64 bits of mantissa
  auto const near = static_cast<double>(value);
  long double const lost = value - static_cast<long double>(near);
  if (lost == 0) return near;
  auto const bits = std::bit_cast<std::uint64_t>(near);
  if (bits & 1) return near;
  return std::bit_cast<double>((lost > 0) == (near > 0) ? bits + 1 : bits - 1);
}

template <class To, class From> instruction const* convert(frame& f, instruction const& i) {
  From x = get<From>(f, i.a);
  bool const ftz = i.flags & flag::ftz, saturated = i.flags & flag::saturate;
  if constexpr (!is_float<To> && !is_float<From>) {
    put_integer<To>(f, i, saturated ? clamped<To>(x) : static_cast<To>(x));
  } else if constexpr (!is_float<To>) {
    bool const wide = sizeof(To) == 8 || sizeof(From) == 8;
    put_integer<To>(f, i, whole_from<To>(to_whole(to_double(flushed(x, ftz)), i.mode()), wide));
  } else if constexpr (!is_float<From>) {
    To r;
    if constexpr (std::is_same_v<To, double>) {
      rounding_scope const scope(i.mode());
      From const volatile kept = x;
      To const volatile result = static_cast<To>(static_cast<From>(kept));
      r = result;
    } else {
      r = from_double<To>(integer_to_odd(x), i.mode());
    }
    if constexpr (std::is_floating_point_v<To>) {
      if (saturated) r = saturate(r);
    } else {
      if (saturated) r = from_double<To>(saturate(to_double(r)));
    }
    put<To>(f, i.d, r);
  } else {
    double v = to_double(flushed(x, ftz));
    if (i.flags & to_integral) v = to_whole(v, i.mode());
    To r;
    if constexpr (std::is_same_v<To, double>) r = v;
    else r = from_double<To>(v, i.flags & to_integral ? rounding::nearest : i.mode());
    double const value = to_double(r);
    if (i.flags & flag::relu && value <= 0) r = To{};
    if (saturated) {
      if constexpr (std::is_same_v<To, double>) r = saturate(r);
      else r = from_double<To>(saturate(value));
    }
    if (i.flags & flag::finite && std::isinf(value) && v == v) {
      if constexpr (!std::is_same_v<To, double>)
        r = from_double<To>(std::copysign(0x1p1000, value), rounding::zero);  // the greatest number
    }
    put<To>(f, i.d, flushed(r, ftz));
  }
  return &i + 1;
}

template <class To, class... From> handler from_any(type_list<From...>, scalar from) {
  handler found = nullptr;
  ((scalar_of<From> == as_number(from) ? void(found = &convert<To, From>) : void()), ...);
  return found;
}
using all_types = type_list<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t,
                            std::int64_t, half, bfloat, float, double>;
template <class... To> handler converter(type_list<To...>, scalar to, scalar from) {
  handler found = nullptr;
  ((scalar_of<To> == as_number(to) ? void(found = from_any<To>(all_types{}, from)) : void()), ...);
  return found;
}

constexpr std::initializer_list<s> numbers = {s::u8,  s::u16, s::u32, s::u64,  s::s8,  s::s16,
                                              s::s32, s::s64, s::f16, s::bf16, s::f32, s::f64};

void decode_cvt(decoder& d) {
  if (is_packed_conversion(d)) return decode_packed_conversion(d);
  constexpr rounding modes[] = {rounding::nearest, rounding::zero, rounding::down, rounding::up};
  std::size_t const mode = d.maybe_one_of({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"});
  bool const integral = mode >= 4 && mode < 8, named = mode < 8;
  if (named) d.out.flags |= static_cast<std::uint16_t>(modes[mode % 4]);
  if (d.take("relu")) d.out.flags |= flag::relu;
  if (d.take("satfinite")) d.out.flags |= flag::finite;
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  if (d.take("sat")) d.out.flags |= flag::saturate;
  scalar const to = d.take_type(numbers), from = d.take_type(numbers);
  bool const to_float = !is_integer(to), from_float = !is_integer(from);
  bool const narrower =
      to_float && (!from_float || bits_of(to) < bits_of(from) || (bits_of(to) == 16 && bits_of(from) == 16 && to != from));
  if (!to_float && !from_float && named) d.fail("integers are converted without a rounding");
  if (!to_float && from_float && !integral) d.fail("a rounding to whole numbers is missing");
  if (narrower && (!named || integral)) d.fail("a rounding is missing");
  if (to_float && from_float && !narrower && named && !(integral && to == from)) d.fail("this conversion is exact and takes no rounding");
  if (integral && to_float) d.out.flags |= to_integral;
  if (d.out.flags & flag::ftz && to != s::f32 && from != s::f32) d.fail(".ftz is not for these types");
  if (d.out.flags & (flag::relu | flag::finite) && !(from == s::f32 && (to == s::f16 || to == s::bf16)))
    d.fail(".relu and .satfinite are not for these types");
  operand const& result = d.next();
  d.out.d = d.destination_of(result, to, is_integer(to));
  if (is_signed(to) && d.register_bits(result) > bits_of(to)) {
    d.out.flags |= wide_result;
    d.out.count = static_cast<std::uint8_t>(d.register_bits(result));
  }
  d.out.a = d.source_of(d.next(), from, is_integer(from));
  d.emit(converter(all_types{}, to, from));
}

}  // namespace

void add_conversions(opcode_table& t) { t.add("cvt", opcode_kind::any, decode_cvt); }

}  // namespace ptx_machine
