// Integer arithmetic on one or two numbers: add, sub, div, rem, neg, abs, min, max, sad.
#include <limits>
#include <type_traits>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
struct add_op {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); }
};
struct sub_op {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)); }
};
struct neg_op {
  template <class T> T operator()(T a) const { return sub_op{}(T(0), a); }
};
struct div_op {
  template <class T> T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T(0));   // the ISA leaves it open: all ones
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return neg_op{}(a);          // of the least number: itself, as wrapped
    return static_cast<T>(a / b);
  }
};
struct rem_op {
  template <class T> T operator()(T a, T b) const {
    if (b == 0) return a;                       // left open, too
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
};
struct abs_op {
  template <class T> T operator()(T a) const { return a < 0 ? neg_op{}(a) : a; }
};
struct min_op {
  template <class T> T operator()(T a, T b) const { return b < a ? b : a; }
};
struct max_op {
  template <class T> T operator()(T a, T b) const { return a < b ? b : a; }
};
struct sad_op {   // c + |a - b|
  template <class T> T operator()(T a, T b, T c) const { return add_op{}(c, a < b ? sub_op{}(b, a) : sub_op{}(a, b)); }
};

template <int sign> struct saturated {   // a + b or a - b, clamped to the range of s32
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    using limits = std::numeric_limits<std::int32_t>;
    std::int64_t const sum = std::int64_t(a) + sign * std::int64_t(b);
    return static_cast<std::int32_t>(sum < limits::min() ? limits::min() : sum > limits::max() ? limits::max() : sum);
  }
};

/// The same of two halves of 16 bits.
template <class Op> struct halves {
  template <class T> pair_of<T> operator()(pair_of<T> a, pair_of<T> b) const { return {Op{}(a.low, b.low), Op{}(a.high, b.high)}; }
};
template <class Op> struct not_negative {
  template <class T> T operator()(T a, T b) const { return max_op{}(Op{}(a, b), T(0)); }
};
template <class Op> void decode_halves(decoder& d) {
  scalar const t = d.take_type({s::u16x2, s::s16x2});
  emit_binary(d, t, binary_of<halves<Op>>(type_list<ushort2, short2>{}, t));
}
bool of_halves(decoder const& d) { return d.last_type() == s::u16x2 || d.last_type() == s::s16x2; }

scalar integer_type(decoder& d) { return d.take_type({s::u16, s::u32, s::u64, s::s16, s::s32, s::s64}); }
template <class Op> void decode_unary(decoder& d) {
  scalar const t = d.take_type({s::s16, s::s32, s::s64});
  emit_unary(d, t, unary_of<Op>(signed_types{}, t));
}
template <class Op> void decode_binary(decoder& d) {
  scalar const t = integer_type(d);
  emit_binary(d, t, binary_of<Op>(integer_types{}, t));
}
template <class Op, class Saturated> void decode_sum(decoder& d) {
  if (std::is_same_v<Op, add_op> && of_halves(d)) return decode_halves<Op>(d);
  if (!d.take("sat")) return decode_binary<Op>(d);
  emit_binary(d, d.take_type({s::s32}), &binary<Saturated, std::int32_t>);
}
template <class Op> void decode_extreme(decoder& d) {
  bool const relu = d.take("relu");
  if (of_halves(d)) {
    if (relu && d.last_type() == s::u16x2) d.fail(".relu is for signed numbers");
    return relu ? decode_halves<not_negative<Op>>(d) : decode_halves<Op>(d);
  }
  if (!relu) return decode_binary<Op>(d);
  emit_binary(d, d.take_type({s::s32}), &binary<not_negative<Op>, std::int32_t>);
}

}  // namespace

void add_integer(opcode_table& t) {
  auto const add = [&](char const* name, decode_function f) { t.add(name, opcode_kind::integer, f); };
  add("div", decode_binary<div_op>);
  add("rem", decode_binary<rem_op>);
  add("neg", decode_unary<neg_op>);
  add("abs", decode_unary<abs_op>);
  add("min", decode_extreme<min_op>);
  add("max", decode_extreme<max_op>);
  add("sad", [](decoder& d) {
    scalar const type = integer_type(d);
    emit_ternary(d, type, ternary_of<sad_op>(integer_types{}, type));
  });
  // add.cc and sub.cc are in carry_chains.cpp, which asks for these two when there is no .cc.
}

void decode_plain_add(decoder& d) { decode_sum<add_op, saturated<1>>(d); }
void decode_plain_sub(decoder& d) { decode_sum<sub_op, saturated<-1>>(d); }

}  // namespace ptx_machine
