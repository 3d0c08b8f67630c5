// Vectors of numbers: the compilers' vector types (GCC manual, "Vector Extensions"; clang has the same), without intrinsics.
// A vector of native_lanes fills one register of the processor that is compiled for, so none crosses a call in pieces.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

namespace dyadic::cpu {

#if defined(__AVX512F__)
inline constexpr int native_bytes = 64;
#elif defined(__AVX__)
inline constexpr int native_bytes = 32;
#else
inline constexpr int native_bytes = 16;
#endif

/// How many numbers a register holds.
template <class T> inline constexpr int native_lanes = native_bytes / static_cast<int>(sizeof(T));

namespace detail {
template <class T, int Lanes> struct vector_type {
  using type __attribute__((vector_size(static_cast<unsigned>(Lanes) * sizeof(T)))) = T;
};
}  // namespace detail

/// `Lanes` numbers, a power of 2. + - * / on all of them at once, also with one number; v[i]; comparisons give a mask for select.
template <class T, int Lanes = native_lanes<T>> using vector_of = typename detail::vector_type<T, Lanes>::type;

template <class V> using element_of = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<V&>()[0])>>;
template <class V> inline constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(element_of<V>));
/// Unsigned integers as wide as V's elements, and what V's comparisons give: all bits of an element, or none.
template <class V> using bits_of =
    vector_of<std::conditional_t<sizeof(element_of<V>) == 4, std::uint32_t, std::uint64_t>, lanes_of<V>>;
template <class V> using mask_of = decltype(std::declval<V>() < std::declval<V>());

/// x in every element.
template <class V> [[gnu::always_inline]] inline V broadcast(element_of<V> x) { return x - V{}; }   // 0 + x would lose the sign of -0

template <class V> [[gnu::always_inline]] inline V load(element_of<V> const* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V> [[gnu::always_inline]] inline void store(element_of<V>* p, V const& v) { __builtin_memcpy(p, &v, sizeof v); }

/// The first n elements from memory, the others 0. Touches no other memory.
template <class V> [[gnu::always_inline]] inline V load_first(element_of<V> const* p, std::int64_t n) {
  element_of<V> a[lanes_of<V>]{};
  for (std::int64_t i = 0; i < n; ++i) a[i] = p[i];
  return load<V>(a);
}
template <class V> [[gnu::always_inline]] inline void store_first(element_of<V>* p, V const& v, std::int64_t n) {
  element_of<V> a[lanes_of<V>];
  store<V>(a, v);
  for (std::int64_t i = 0; i < n; ++i) p[i] = a[i];
}

/// The same bytes as another type of vector.
template <class To, class V> [[gnu::always_inline]] inline To as(V const& v) {
  static_assert(sizeof(To) == sizeof(V));
  return reinterpret_cast<To>(v);
}

/// a where the mask is set, else b.
template <class V> [[gnu::always_inline]] inline V select(mask_of<V> const& m, V const& a, V const& b) { return m ? a : b; }
template <class V> [[gnu::always_inline]] inline V select(mask_of<V> const& m, element_of<V> a, element_of<V> b) {
  return m ? broadcast<V>(a) : broadcast<V>(b);
}

/// A NaN of x stays; one of `bound` does not.
template <class V> [[gnu::always_inline]] inline V at_least(V const& x, element_of<V> bound) {
  V const b = broadcast<V>(bound);
  return b > x ? b : x;
}
template <class V> [[gnu::always_inline]] inline V at_most(V const& x, element_of<V> bound) {
  V const b = broadcast<V>(bound);
  return b < x ? b : x;
}
/// The larger of each pair; a NaN of b stays.
template <class V> [[gnu::always_inline]] inline V larger(V const& a, V const& b) { return a > b ? a : b; }
template <class V> [[gnu::always_inline]] inline V smaller(V const& a, V const& b) { return a < b ? a : b; }

/// The bits of -0.
template <class V> inline constexpr auto sign_bit =
    static_cast<element_of<bits_of<V>>>(element_of<bits_of<V>>(1) << (8 * sizeof(element_of<V>) - 1));
template <class V> [[gnu::always_inline]] inline bits_of<V> sign_of(V const& v) { return as<bits_of<V>>(v) & sign_bit<V>; }
template <class V> [[gnu::always_inline]] inline V magnitude(V const& v) { return as<V>(as<bits_of<V>>(v) & ~sign_bit<V>); }

/// The sum, halves added to halves: the same order whatever the processor.
template <class V> [[gnu::always_inline]] inline element_of<V> sum(V const& v) {
  element_of<V> a[lanes_of<V>];
  store<V>(a, v);
  for (int h = lanes_of<V> / 2; h > 0; h /= 2)
    for (int i = 0; i < h; ++i) a[i] += a[i + h];
  return a[0];
}
/// The largest; whether NaNs count is unspecified.
template <class V> [[gnu::always_inline]] inline element_of<V> largest(V const& v) {
  element_of<V> a[lanes_of<V>];
  store<V>(a, v);
  for (int h = lanes_of<V> / 2; h > 0; h /= 2)
    for (int i = 0; i < h; ++i) a[i] = a[i] > a[i + h] ? a[i] : a[i + h];
  return a[0];
}
/// Whether a mask is set anywhere.
template <class M> [[gnu::always_inline]] inline bool any(M const& m) {
  std::uint64_t a[sizeof(M) / 8], all = 0;
  __builtin_memcpy(a, &m, sizeof m);
  for (std::uint64_t x : a) all |= x;
  return all != 0;
}

namespace detail {
template <int n, class V> [[gnu::always_inline]] inline V polynomial_part(V const* power, element_of<V> const* c) {
  if constexpr (n == 1) return broadcast<V>(c[0]);
  else if constexpr (n == 2) return *power * c[1] + c[0];
  else {
    constexpr int log = n > 8 ? 3 : n > 4 ? 2 : 1, low = 1 << log;
    V const upper = polynomial_part<n - low, V>(power, c + low);
    return upper * power[log] + polynomial_part<low, V>(power, c);
  }
}
}  // namespace detail

/// c[0] + c[1] x + ... + c[n - 1] x^(n - 1), by Estrin's scheme: a processor that works ahead waits for results more than it computes.
template <class V, int n> [[gnu::always_inline]] inline V polynomial(V const& x, element_of<V> const (&c)[n]) {
  static_assert(n <= 16);
  V const square = x * x, fourth = square * square, power[] = {x, square, fourth, fourth * fourth};
  return detail::polynomial_part<n, V>(power, c);
}

/// r[i] = f(x[i]) for n elements, vector by vector; r may be x. The last vector is filled up, so a result does not depend on its position.
template <class V, class F>
[[gnu::always_inline]] inline void map_vectors(element_of<V>* r, element_of<V> const* x, std::int64_t n, F const& f) {
  constexpr std::int64_t lanes = lanes_of<V>;
  element_of<V> edge[lanes]{};
  for (std::int64_t i = 0; i < n; i += lanes) {   // one copy of f's code for both
    std::int64_t const rest = n - i;
    if (rest < lanes) for (std::int64_t j = 0; j < rest; ++j) edge[j] = x[i + j];
    store<V>(rest < lanes ? edge : r + i, f(load<V>(rest < lanes ? edge : x + i)));
    if (rest < lanes) for (std::int64_t j = 0; j < rest; ++j) r[i + j] = edge[j];
  }
}

}  // namespace dyadic::cpu
