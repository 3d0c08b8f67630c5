// cvt of two f32 to a pair of 16 bits each, and of f32 to tf32.
#include <cmath>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

template <class T> T narrowed(std::uint16_t flags, float x) {
  T r = from_double<T>(x, static_cast<rounding>(flags & flag::rounding_mask));
  double const value = to_double(r);
  if (flags & flag::finite && std::isinf(value)) r = from_double<T>(value > 0 ? 0x1.fp1000 : -0x1.fp1000, rounding::zero);
  if (flags & flag::relu && value <= 0) r = T{0};
  return r;
}

/// d, a, b: a becomes the high half.
template <class T> instruction const* to_pair(frame& f, instruction const& i) {
  put<pair_of<T>>(f, i.d, {narrowed<T>(i.flags, get<float>(f, i.b)), narrowed<T>(i.flags, get<float>(f, i.a))});
  return &i + 1;
}

instruction const* tf32(frame& f, instruction const& i) {
  float const x = get<float>(f, i.a);
  std::uint32_t r = x != x ? 0x7fffffff : to_tf32(x, i.mode());
  if (i.flags & flag::finite && std::isinf(std::bit_cast<float>(r))) r = (r & 0x80000000) | 0x7f7fe000;
  if (i.flags & flag::relu && r >> 31) r = 0;
  put(f, i.d, r);
  return &i + 1;
}

}  // namespace

bool is_packed_conversion(decoder const& d) {
  if (d.text.parts.size() < 3) return false;
  scalar const to = scalar_named(d.text.parts[d.text.parts.size() - 2]);
  return to == s::f16x2 || to == s::bf16x2 || to == s::tf32;
}

void decode_packed_conversion(decoder& d) {
  constexpr rounding modes[] = {rounding::nearest, rounding::zero, rounding::nearest_away};
  std::size_t const mode = d.take_one_of({"rn", "rz", "rna"});
  d.out.flags = static_cast<std::uint16_t>(modes[mode]);
  for (int order = 0; order < 2; ++order) {   // tf32 has them the other way round
    if (d.take("relu")) d.out.flags |= flag::relu;
    if (d.take("satfinite")) d.out.flags |= flag::finite;
  }
  scalar const to = d.take_type({s::f16x2, s::bf16x2, s::tf32});
  scalar const from = d.take_type({s::f32});
  if ((mode == 2 && to != s::tf32) || (mode == 2 && d.out.flags & flag::relu)) d.fail(".rna is for .tf32 without .relu");
  d.out.d = d.destination(s::b32);
  d.out.a = d.source(from);
  if (to == s::tf32) return d.emit(tf32);
  d.out.b = d.source(from);
  d.emit(to == s::f16x2 ? &to_pair<half> : &to_pair<bfloat>);
}

}  // namespace ptx_machine
