// Pointwise operations on one vector: a processor's own where it has one, the vector functions, else element by element.
#pragma once
#include <limits>

#include "dyadic/cpu/vector_functions.hpp"

namespace dyadic::cpu {

namespace detail {
template <op O, class V> [[gnu::always_inline]] inline V by_element(V const& x, V const& y, V const& z) {
  using T = element_of<V>;
  constexpr int n = lanes_of<V>;
  T a[n], b[n], c[n];
  store<V>(a, x);
  if constexpr (op_info<O>::arity > 1) store<V>(b, y);
  if constexpr (op_info<O>::arity > 2) store<V>(c, z);
  for (int i = 0; i < n; ++i) {
    if constexpr (op_info<O>::arity == 1) a[i] = static_cast<T>(op_info<O>::apply(a[i]));
    else if constexpr (op_info<O>::arity == 2) a[i] = static_cast<T>(op_info<O>::apply(a[i], b[i]));
    else a[i] = static_cast<T>(op_info<O>::apply(a[i], b[i], c[i]));
  }
  return load<V>(a);
}
template <dtype To, class V> [[gnu::always_inline]] inline V cast_elements(V const& x) {
  element_of<V> a[lanes_of<V>];
  store<V>(a, x);
  for (auto& v : a) v = op_info<op::cast>::apply(v, To);
  return load<V>(a);
}
}  // namespace detail

/// op O of vectors; operands beyond its number are not looked at. The same values as op_info<O>::apply, in float within the units that
/// cpu/vector_functions.hpp names. To: of a cast.
template <op O, dtype To, class V> [[gnu::always_inline]] inline V apply_op(V const& x, V const& y, V const& z) {
  using T = element_of<V>;
  [[maybe_unused]] V const zero{};
  if constexpr (O == op::stop_gradient || O == op::probe || O == op::spread) return x;
  else if constexpr (O == op::cast) {
    if constexpr (To == dtype::i32 || To == dtype::bf16) return detail::cast_elements<To, V>(x);
    else if constexpr (To == dtype::boolean) return select<V>(x != zero, T(1), T(0));
    else return x;
  }
  else if constexpr (O == op::add) return x + y;
  else if constexpr (O == op::sub) return x - y;
  else if constexpr (O == op::mul) return x * y;
  else if constexpr (O == op::div) return x / y;
  else if constexpr (O == op::neg) return -x;
  else if constexpr (O == op::reciprocal) return T(1) / x;
  else if constexpr (O == op::reciprocal_or_zero) return select<V>(x == zero, zero, T(1) / x);
  else if constexpr (O == op::shifted_exp) {
    V const none = broadcast<V>(-std::numeric_limits<T>::infinity());
    return functions::exp<V>(select<V>(x == none, none, x - y));
  }
  else if constexpr (O == op::relu) return select<V>(x < zero, zero, x);
  else if constexpr (O == op::abs) return magnitude(x);
  else if constexpr (O == op::less) return select<V>(x < y, T(1), T(0));
  else if constexpr (O == op::less_equal) return select<V>(x <= y, T(1), T(0));
  else if constexpr (O == op::equal) return select<V>(x == y, T(1), T(0));
  else if constexpr (O == op::select) return select<V>(x != zero, y, z);
  else if constexpr (has_vector_function<O, T>) return function_of<O, V>(x);
  else return detail::by_element<O, V>(x, y, z);
}

}  // namespace dyadic::cpu
