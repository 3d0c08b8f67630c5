// Arithmetic of f16, bf16 and pairs of them: add, sub, mul, fma, neg, abs, min, max. Results are rounded once, to nearest even.
#include <cmath>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

// Each operation gives a double that rounds to the right number of 16 bits: exact, or rounded to odd.
struct add_op { double operator()(double a, double b) const { return sum_to_odd(a, b); } };
struct sub_op { double operator()(double a, double b) const { return sum_to_odd(a, -b); } };
struct mul_op { double operator()(double a, double b) const { return a * b; } };                            // exact
struct fma_op { double operator()(double a, double b, double c) const { return sum_to_odd(a * b, c); } };   // the product is exact

template <class T> constexpr std::uint16_t magnitude(T x) { return x.bits & 0x7fff; }
template <class T> constexpr std::uint16_t infinity_of = std::is_same_v<T, half> ? 0x7c00 : 0x7f80;
template <class T> bool is_nan(T x) { return magnitude(x) > infinity_of<T>; }
template <class T> T flush(T x) {
  constexpr std::uint16_t least = std::is_same_v<T, half> ? 0x0400 : 0x0080;
  return magnitude(x) < least ? T{static_cast<std::uint16_t>(x.bits & 0x8000)} : x;
}

template <class T> T finish(std::uint16_t flags, double x) {
  T r = from_double<T>(x);
  if (flags & flag::ftz) r = flush(r);
  if (flags & flag::saturate) r = x > 0 ? x < 1 ? r : from_double<T>(1) : T{0};   // NaN becomes 0
  if (flags & flag::relu && (r.bits & 0x8000) && !is_nan(r)) r = T{0};            // NaN stays one
  return r;
}

template <class Op, class T> struct element {
  static T of(std::uint16_t flags, T a, T b, T c) {
    if (flags & flag::ftz) a = flush(a), b = flush(b), c = flush(c);
    if constexpr (std::is_invocable_v<Op, double, double, double>) return finish<T>(flags, Op{}(to_double(a), to_double(b), to_double(c)));
    else return finish<T>(flags, Op{}(to_double(a), to_double(b)));
  }
};

struct neg_op { std::uint16_t operator()(std::uint16_t bits) const { return bits ^ 0x8000; } };
struct abs_op { std::uint16_t operator()(std::uint16_t bits) const { return bits & 0x7fff; } };
template <class Op, class T> struct sign_element {
  static T of(std::uint16_t flags, T a, T, T) {
    if (is_nan(a)) return T{0x7fff};
    if (flags & flag::ftz) a = flush(a);
    return T{Op{}(a.bits)};
  }
};

/// As of f32: a NaN gives way unless .NaN, -0 is less than +0, .xorsign.abs.
template <bool largest> struct extreme {
  template <class T> static T of(std::uint16_t flags, T a, T b, T) {
    T const from_a = a, from_b = b;
    if (flags & flag::ftz) a = flush(a), b = flush(b);
    if (flags & flag::absolute) a.bits &= 0x7fff, b.bits &= 0x7fff;
    T r;
    if (is_nan(a) || is_nan(b)) {
      if (flags & flag::nan || (is_nan(a) && is_nan(b))) return T{0x7fff};
      r = is_nan(a) ? b : a;
    } else {
      auto const order = [](T x) { return x.bits & 0x8000 ? -1 - int(magnitude(x)) : int(x.bits); };
      r = (order(a) < order(b)) != largest ? a : b;
    }
    if (flags & flag::xor_sign) r.bits = static_cast<std::uint16_t>(magnitude(r) | ((from_a.bits ^ from_b.bits) & 0x8000));
    return r;
  }
};
template <class Op, class T> struct extreme_element {
  static T of(std::uint16_t flags, T a, T b, T c) { return Op::of(flags, a, b, c); }
};

template <class T> constexpr bool is_pair = std::is_same_v<T, half2> || std::is_same_v<T, bfloat2>;
template <template <class, class> class Element, class Op, class T> instruction const* run(frame& f, instruction const& i) {
  auto const read = [&](std::uint32_t slot) { return slot == no_slot ? T{} : get<T>(f, slot); };
  T const a = read(i.a), b = read(i.b), c = read(i.c);
  if constexpr (is_pair<T>) {
    using E = Element<Op, decltype(a.low)>;
    put<T>(f, i.d, {E::of(i.flags, a.low, b.low, c.low), E::of(i.flags, a.high, b.high, c.high)});
  } else {
    put<T>(f, i.d, Element<Op, T>::of(i.flags, a, b, c));
  }
  return &i + 1;
}

template <template <class, class> class Element, class Op> handler pick(scalar t) {
  switch (t) {
    case s::f16: return &run<Element, Op, half>;
    case s::bf16: return &run<Element, Op, bfloat>;
    case s::f16x2: return &run<Element, Op, half2>;
    default: return &run<Element, Op, bfloat2>;
  }
}

bool is_bf16(scalar t) { return t == s::bf16 || t == s::bf16x2; }

template <class Op> void decode_arithmetic(decoder& d) {
  constexpr bool is_fma = std::is_same_v<Op, fma_op>;
  if (!d.take("rn") && is_fma) d.fail("expected .rn");
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  if (d.take("sat")) d.out.flags |= flag::saturate;
  if (is_fma && !(d.out.flags & flag::saturate) && d.take("relu")) d.out.flags |= flag::relu;
  scalar const t = d.take_type({s::f16, s::f16x2, s::bf16, s::bf16x2});
  if (is_bf16(t) && d.out.flags & (flag::ftz | flag::saturate)) d.fail(".bf16 has neither .ftz nor .sat");
  if (is_fma) emit_ternary(d, t, pick<element, Op>(t));
  else emit_binary(d, t, pick<element, Op>(t));
}

template <class Op> void decode_sign(decoder& d) {
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  scalar const t = d.take_type({s::f16, s::f16x2, s::bf16, s::bf16x2});
  if (is_bf16(t) && d.out.flags) d.fail(".bf16 has no .ftz");
  emit_unary(d, t, pick<sign_element, Op>(t));
}

template <bool largest> void decode_extreme(decoder& d) {
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  if (d.take("NaN")) d.out.flags |= flag::nan;
  if (d.take("xorsign")) {
    if (!d.take("abs")) d.fail(".xorsign needs .abs");
    d.out.flags |= flag::xor_sign | flag::absolute;
  }
  scalar const t = d.take_type({s::f16, s::f16x2, s::bf16, s::bf16x2});
  if (is_bf16(t) && d.out.flags & flag::ftz) d.fail(".bf16 has no .ftz");
  emit_binary(d, t, pick<extreme_element, extreme<largest>>(t));
}

}  // namespace

void add_halves(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::half, f); };
  add("add", decode_arithmetic<add_op>);
  add("sub", decode_arithmetic<sub_op>);
  add("mul", decode_arithmetic<mul_op>);
  add("fma", decode_arithmetic<fma_op>);
  add("neg", decode_sign<neg_op>);
  add("abs", decode_sign<abs_op>);
  add("min", decode_extreme<false>);
  add("max", decode_extreme<true>);
}

}  // namespace ptx_machine
