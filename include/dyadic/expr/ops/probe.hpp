// The identity; names a value, so that a run can return it.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::probe> : map_op_info<1> {
  static constexpr double flops = 0;
  static constexpr bool zero_through(node const&, int) { return true; }
  template <class T> DYADIC_DEVICE static T apply(T x) { return x; }
  static constexpr void adjoint(gradient& g, int i, int d) { g.give_arg(i, 0, d); }
};

namespace detail {
constexpr bool same_text(char const* a, char const* b) {
  if (!a || !b) return a == b;
  while (*a && *a == *b) { ++a; ++b; }
  return *a == *b;
}
constexpr void check_output_name(builder& b, char const* name, int line) {
  for (int i = 0; i < b.outputs.size; ++i) if (same_text(b.outputs[i].name, name)) b.fail(fault::output_named_twice, line);
}
template <class... A> constexpr void lay_out(builder& b, output& o, axis_set only, axes<A...>) {
  [[maybe_unused]] auto const put = [&](int a) { if ((only >> a & 1) && o.rank < 8) o.order[o.rank++] = static_cast<std::int8_t>(a); };
  (put(axis_id<A>(b)), ...);
}
}  // namespace detail

/// x; a run can return it under `name`. Inside scans and repeats their axes come first in its layout.
/// Errors: a name given twice (output_named_twice).
template <class List, class T, class... A>
constexpr auto probe(char const* name, expr<List, T, along<A...>> x, int line = __builtin_LINE()) {
  builder& b = *x.b;
  auto const r = map_op<op::probe>(x);
  detail::check_output_name(b, name, line);
  output o;
  o.node = static_cast<std::int16_t>(r.id); o.role = output_role::probe; o.name = name;
  detail::lay_out(b, o, b.shape(r.id), axes<A...>{});
  detail::lay_out(b, o, b.shape(r.id), List{});
  b.outputs.push(o);
  return r;
}

}  // namespace dyadic
