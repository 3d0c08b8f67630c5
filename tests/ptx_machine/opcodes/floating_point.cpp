// Arithmetic of f32 and f64, correctly rounded: add, sub, mul, fma, mad, div, rcp, sqrt; and abs, neg, min, max, copysign.
#include <algorithm>
#include <cmath>

#include "opcodes/handlers.hpp"
#include "opcodes/rounded.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

struct add_op { template <class T> T operator()(T a, T b) const { return a + b; } };
struct sub_op { template <class T> T operator()(T a, T b) const { return a - b; } };
struct mul_op { template <class T> T operator()(T a, T b) const { return a * b; } };
struct div_op { template <class T> T operator()(T a, T b) const { return a / b; } };
struct rcp_op { template <class T> T operator()(T a) const { return T(1) / a; } };
struct sqrt_op { template <class T> T operator()(T a) const { return std::sqrt(a); } };
struct fma_op { template <class T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); } };

template <class Op> struct canonical_op {
  template <class... T> auto operator()(T... x) const { return canonical(Op{}(x...)); }
};
template <class Op, class T> instruction const* rounded_1(frame& f, instruction const& i) {
  put<T>(f, i.d, rounded(i.flags, Op{}, get<T>(f, i.a)));
  return &i + 1;
}
template <class Op, class T> instruction const* rounded_2(frame& f, instruction const& i) {
  put<T>(f, i.d, rounded(i.flags, Op{}, get<T>(f, i.a), get<T>(f, i.b)));
  return &i + 1;
}
template <class Op, class T> instruction const* rounded_3(frame& f, instruction const& i) {
  put<T>(f, i.d, rounded(i.flags, Op{}, get<T>(f, i.a), get<T>(f, i.b), get<T>(f, i.c)));
  return &i + 1;
}

/// The same of two f32 at once.
template <class Op> instruction const* rounded_pair(frame& f, instruction const& i) {
  auto const a = get<float2>(f, i.a), b = get<float2>(f, i.b);
  if constexpr (std::is_invocable_v<Op, float, float, float>) {
    auto const c = get<float2>(f, i.c);
    put<float2>(f, i.d, {rounded(i.flags, Op{}, a.low, b.low, c.low), rounded(i.flags, Op{}, a.high, b.high, c.high)});
  } else {
    put<float2>(f, i.d, {rounded(i.flags, Op{}, a.low, b.low), rounded(i.flags, Op{}, a.high, b.high)});
  }
  return &i + 1;
}

/// [.rnd][.ftz][.sat].type into the flags.
scalar take_modifiers(decoder& d, bool rounding_needed, bool saturation, bool pairs = false) {
  constexpr rounding modes[] = {rounding::nearest, rounding::zero, rounding::down, rounding::up, rounding::nearest};
  std::size_t const mode = rounding_needed ? d.take_one_of({"rn", "rz", "rm", "rp"}) : d.maybe_one_of({"rn", "rz", "rm", "rp"});
  d.out.flags |= static_cast<std::uint16_t>(modes[mode]);
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  if (saturation && d.take("sat")) d.out.flags |= flag::saturate;
  scalar const t = pairs ? d.take_type({s::f32, s::f64, s::f32x2}) : d.take_type({s::f32, s::f64});
  if (t == s::f64 && d.out.flags & (flag::ftz | flag::saturate)) d.fail(".f64 has neither .ftz nor .sat");
  if (t == s::f32x2 && d.out.flags & flag::saturate) d.fail(".f32x2 has no .sat");
  return t;
}

template <class Op> void decode_2(decoder& d, bool rounding_needed) {
  scalar const t = take_modifiers(d, rounding_needed, true, true);
  if (t == s::f32x2) return emit_binary(d, t, &rounded_pair<Op>);
  bool const wide = t == s::f64;
  if (!d.out.flags) return emit_binary(d, t, wide ? &binary<Op, double> : &binary<canonical_op<Op>, float>);
  emit_binary(d, t, wide ? &rounded_2<Op, double> : &rounded_2<Op, float>);
}
void decode_fma(decoder& d) {
  scalar const t = take_modifiers(d, true, true, true);
  if (t == s::f32x2) return emit_ternary(d, t, &rounded_pair<fma_op>);
  bool const wide = t == s::f64;
  if (!d.out.flags) return emit_ternary(d, t, wide ? &ternary<fma_op, double> : &ternary<canonical_op<fma_op>, float>);
  emit_ternary(d, t, wide ? &rounded_3<fma_op, double> : &rounded_3<fma_op, float>);
}

template <class T> using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

struct neg_op {
  template <class T>
  T operator()(T a) const {
    return std::bit_cast<T>(static_cast<bits_t<T>>(std::bit_cast<bits_t<T>>(a) ^ bits_t<T>(1) << (sizeof(T) * 8 - 1)));
  }
};
struct abs_op { template <class T> T operator()(T a) const { return std::fabs(a); } };
template <class Op> void decode_sign(decoder& d) {
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  scalar const t = d.take_type({s::f32, s::f64});
  if (t == s::f64 && d.out.flags) d.fail(".f64 has no .ftz");
  emit_unary(d, t, t == s::f64 ? &unary<Op, double> : d.out.flags ? &rounded_1<Op, float> : &unary<Op, float>);
}

/// The sign of a, the rest of b.
struct copysign_op { template <class T> T operator()(T a, T b) const { return std::copysign(b, a); } };

/// min and max: a NaN gives way to a number, unless .NaN; -0 is less than +0. .abs compares magnitudes; .xorsign then gives the result
/// the product of the signs.
template <class T> T extreme(std::uint16_t flags, bool largest, T a, T b) {
  T const sign_a = a, sign_b = b;
  if (flags & flag::ftz) a = flush(a), b = flush(b);
  if (flags & flag::absolute) a = std::fabs(a), b = std::fabs(b);
  T r;
  if (a != a || b != b) {
    if (flags & flag::nan || (a != a && b != b)) return sizeof(T) == 4 ? canonical(static_cast<T>(NAN)) : a != a ? a : b;
    r = a != a ? b : a;
  } else if (a == b) {
    r = std::signbit(a) != largest ? a : b;
  } else {
    r = (a < b) != largest ? a : b;
  }
  if (flags & flag::xor_sign) r = std::copysign(r, std::signbit(sign_a) != std::signbit(sign_b) ? T(-1) : T(1));
  return r;
}
template <class T, bool largest> instruction const* extreme_2(frame& f, instruction const& i) {
  put<T>(f, i.d, extreme(i.flags, largest, get<T>(f, i.a), get<T>(f, i.b)));
  return &i + 1;
}
template <class T, bool largest> instruction const* extreme_3(frame& f, instruction const& i) {
  put<T>(f, i.d, extreme(i.flags, largest, extreme(i.flags, largest, get<T>(f, i.a), get<T>(f, i.b)), get<T>(f, i.c)));
  return &i + 1;
}
template <bool largest> void decode_extreme(decoder& d) {
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  if (d.take("NaN")) d.out.flags |= flag::nan;
  if (d.take("xorsign")) {
    if (!d.take("abs")) d.fail(".xorsign needs .abs");
    d.out.flags |= flag::xor_sign | flag::absolute;
  }
  scalar const t = d.take_type({s::f32, s::f64});
  if (t == s::f64) {
    if (d.out.flags) d.fail(".f64 has no such modifier");
    return emit_binary(d, t, &extreme_2<double, largest>);
  }
  d.out.d = d.destination(t);
  d.out.a = d.source(t);
  d.out.b = d.source(t);
  if (!d.has_operand()) return d.emit(&extreme_2<float, largest>);
  if (d.out.flags & flag::xor_sign) d.fail("three operands and .xorsign do not go together");
  d.out.c = d.source(t);
  d.emit(&extreme_3<float, largest>);
}

}  // namespace

void decode_rounded_div(decoder& d) {   // div.rnd; .approx and .full are in functions.cpp
  scalar const t = take_modifiers(d, true, false);
  emit_binary(d, t, t == s::f64 ? &rounded_2<div_op, double> : &rounded_2<div_op, float>);
}
void decode_rounded_rcp(decoder& d) {
  scalar const t = take_modifiers(d, true, false);
  emit_unary(d, t, t == s::f64 ? &rounded_1<rcp_op, double> : &rounded_1<rcp_op, float>);
}
void decode_rounded_sqrt(decoder& d) {
  scalar const t = take_modifiers(d, true, false);
  emit_unary(d, t, t == s::f64 ? &rounded_1<sqrt_op, double> : &rounded_1<sqrt_op, float>);
}

void add_floating_point(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::real, f); };
  add("add", [](decoder& d) { decode_2<add_op>(d, false); });
  add("sub", [](decoder& d) { decode_2<sub_op>(d, false); });
  add("mul", [](decoder& d) { decode_2<mul_op>(d, false); });
  add("fma", decode_fma);
  add("mad", decode_fma);   // since sm_20, mad is fma
  add("neg", decode_sign<neg_op>);
  add("abs", decode_sign<abs_op>);
  add("min", decode_extreme<false>);
  add("max", decode_extreme<true>);
  add("copysign", [](decoder& d) {
    scalar const type = d.take_type({s::f32, s::f64});
    emit_binary(d, type, type == s::f64 ? &binary<copysign_op, double> : &binary<copysign_op, float>);
  });
}

}  // namespace ptx_machine
