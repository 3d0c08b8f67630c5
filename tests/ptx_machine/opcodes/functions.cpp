// Functions that devices approximate: div.approx and .full, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh. Here each is the nearest float
// (from double), so a device may differ from it within the error bounds of the ISA; what the ISA says of special values holds. testp too.
#include <cmath>

#include "opcodes/handlers.hpp"
#include "opcodes/rounded.hpp"

namespace ptx_machine {

void decode_rounded_div(decoder&);
void decode_rounded_rcp(decoder&);
void decode_rounded_sqrt(decoder&);

namespace {

using s = scalar;

struct rcp_op { double operator()(double x) const { return 1 / x; } };
struct sqrt_op { double operator()(double x) const { return std::sqrt(x); } };
struct rsqrt_op { double operator()(double x) const { return 1 / std::sqrt(x); } };
struct sin_op { double operator()(double x) const { return std::sin(x); } };
struct cos_op { double operator()(double x) const { return std::cos(x); } };
struct lg2_op { double operator()(double x) const { return std::log2(x); } };
struct ex2_op { double operator()(double x) const { return std::exp2(x); } };
struct tanh_op { double operator()(double x) const { return std::tanh(x); } };

template <class Op, class T> instruction const* function_of(frame& f, instruction const& i) {
  T x = get<T>(f, i.a);
  if (i.flags & flag::ftz) x = flush(x);
  T r = canonical(static_cast<T>(Op{}(static_cast<double>(x))));
  if (i.flags & flag::ftz) r = flush(r);
  put<T>(f, i.d, r);
  return &i + 1;
}
template <class Op, class T> instruction const* function_of_half(frame& f, instruction const& i) {
  put<T>(f, i.d, from_double<T>(Op{}(to_double(get<T>(f, i.a)))));
  return &i + 1;
}
template <class Op, class T> instruction const* function_of_pair(frame& f, instruction const& i) {
  auto const x = get<pair_of<T>>(f, i.a);
  put<pair_of<T>>(f, i.d, {from_double<T>(Op{}(to_double(x.low))), from_double<T>(Op{}(to_double(x.high)))});
  return &i + 1;
}

template <class Op> void decode_f32(decoder& d) {   // .approx[.ftz].f32
  if (!d.take("approx")) d.fail("expected .approx");
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  emit_unary(d, d.take_type({s::f32}), &function_of<Op, float>);
}

/// rcp and rsqrt of f64 look at the upper 32 bits alone and leave zeros in the lower.
template <class Op> instruction const* coarse(frame& f, instruction const& i) {
  auto const upper = [](double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u); };
  auto const no_subnormal = [](double x) { return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x; };
  put<double>(f, i.d, no_subnormal(upper(Op{}(no_subnormal(upper(get<double>(f, i.a)))))));
  return &i + 1;
}

template <class Op, void (*exact)(decoder&), bool f64> void decode_root(decoder& d) {
  if (!d.take("approx")) return exact(d);
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  scalar const t = d.take_type({s::f32, s::f64});
  if (t == s::f64 && !f64) d.fail("there is no such function of .f64");
  emit_unary(d, t, t == s::f64 ? &coarse<Op> : &function_of<Op, float>);
}
void none(decoder& d) { d.fail("expected .approx"); }

template <bool approximate> instruction const* quotient(frame& f, instruction const& i) {
  auto a = get<float>(f, i.a), b = get<float>(f, i.b);
  if (i.flags & flag::ftz) a = flush(a), b = flush(b);
  float r = canonical(a / b);
  // .approx multiplies by a reciprocal, which is 0 for such a b.
  if (approximate && std::fabs(b) > 0x1p126f && std::isfinite(b)) r = std::isinf(a) ? canonical(NAN) : a != a ? r : std::copysign(0.0f, r);
  if (i.flags & flag::ftz) r = flush(r);
  put<float>(f, i.d, r);
  return &i + 1;
}
void decode_div(decoder& d) {
  std::size_t const kind = d.maybe_one_of({"approx", "full"});
  if (kind == 2) return decode_rounded_div(d);
  if (d.take("ftz")) d.out.flags |= flag::ftz;
  emit_binary(d, d.take_type({s::f32}), kind ? &quotient<false> : &quotient<true>);
}

/// ex2 and tanh of numbers of 16 bits. ex2 of bf16 needs .ftz.
template <class Op, bool ftz_for_bf16> void decode_half(decoder& d) {
  if (!d.take("approx")) d.fail("expected .approx");
  bool const ftz = d.take("ftz");
  scalar const t = d.take_type({s::f16, s::f16x2, s::bf16, s::bf16x2});
  bool const brain = t == s::bf16 || t == s::bf16x2;
  if (ftz != (brain && ftz_for_bf16)) d.fail(ftz ? ".ftz is not for this type" : ".bf16 needs .ftz");
  if (t == s::f16) return emit_unary(d, t, &function_of_half<Op, half>);
  if (t == s::f16x2) return emit_unary(d, t, &function_of_pair<Op, half>);
  if (!ftz) return emit_unary(d, t, t == s::bf16 ? &function_of_half<Op, bfloat> : &function_of_pair<Op, bfloat>);
  struct flushed {
    double operator()(double x) const {
      auto const f = [](double y) { return std::fabs(y) < 0x1p-126 ? std::copysign(0.0, y) : y; };
      return f(Op{}(f(x)));
    }
  };
  emit_unary(d, t, t == s::bf16 ? &function_of_half<flushed, bfloat> : &function_of_pair<flushed, bfloat>);
}

template <class T> instruction const* testp(frame& f, instruction const& i) {
  T const x = get<T>(f, i.a);
  int const kind = std::fpclassify(x);
  bool r = false;
  switch (i.value) {
    case 0: r = std::isfinite(x); break;
    case 1: r = kind == FP_INFINITE; break;
    case 2: r = kind != FP_NAN; break;
    case 3: r = kind == FP_NAN; break;
    case 4: r = kind == FP_NORMAL || kind == FP_ZERO; break;   // the ISA counts zeros here
    default: r = kind == FP_SUBNORMAL; break;
  }
  put<bool>(f, i.d, r);
  return &i + 1;
}

}  // namespace

void add_functions(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::real, f); };
  add("div", decode_div);
  add("rcp", decode_root<rcp_op, decode_rounded_rcp, true>);
  add("sqrt", decode_root<sqrt_op, decode_rounded_sqrt, false>);
  add("rsqrt", decode_root<rsqrt_op, none, true>);
  add("sin", decode_f32<sin_op>);
  add("cos", decode_f32<cos_op>);
  add("lg2", decode_f32<lg2_op>);
  add("ex2", decode_f32<ex2_op>);
  add("tanh", [](decoder& d) {
    if (!d.take("approx")) d.fail("expected .approx");
    emit_unary(d, d.take_type({s::f32}), &function_of<tanh_op, float>);
  });
  t.add("ex2", opcode_kind::half, decode_half<ex2_op, true>);
  t.add("tanh", opcode_kind::half, decode_half<tanh_op, false>);
  add("testp", [](decoder& d) {
    d.out.value = static_cast<std::int64_t>(d.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}));
    scalar const type = d.take_type({s::f32, s::f64});
    d.out.d = d.destination(s::pred);
    d.out.a = d.source(type);
    d.emit(type == s::f64 ? &testp<double> : &testp<float>);
  });
}

}  // namespace ptx_machine
