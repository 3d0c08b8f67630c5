// Named axes. An axis is a struct of the user's: `struct feature : axis<512> {};` with a static extent, or
// `struct seq : axis<> {};` whose extent is bound at run time with a value of the type: `seq{256}`.
#pragma once
#include <cstdint>
#include <type_traits>

namespace dyadic {

/// Size >= 0: the extent is part of the type. Size = -1 (the default): it is bound at run time.
template <int Size = -1> struct axis {
  static_assert(Size >= -1, "an axis has a non-negative extent");
  static constexpr int static_extent = Size;
};
template <> struct axis<-1> {
  static constexpr int static_extent = -1;
  std::int64_t extent = 0;
  constexpr axis(std::int64_t n = 0) : extent(n) {}
};

/// A list of axes. Two lists with the same members mean the same; the order is only the user's spelling.
template <class... A> struct axes {};

/// A second axis as long as A, for the rows of a square weight. A weight over <A, A> would name one axis twice.
template <class A> struct prime : axis<A::static_extent> {};

/// The axes of a scan or repeat that is open around a value: hidden from its list, one position at a time.
template <class... A> struct along {};

template <class List, class A> inline constexpr bool has_axis = false;
template <class A, class... B> inline constexpr bool has_axis<axes<B...>, A> = (std::is_same_v<A, B> || ...);
template <class A, class... B> inline constexpr bool has_axis<along<B...>, A> = (std::is_same_v<A, B> || ...);

namespace detail {
// An axis is known by a hash of its name: addresses of templates cannot be compared in g++ constant expressions under -fsanitize.
// Never stored, never compared across compilers.
template <class A> constexpr std::uint64_t key_of() {
  std::uint64_t h = 14695981039346656037u;
  for (char const* p = __PRETTY_FUNCTION__; *p; ++p) h = (h ^ static_cast<std::uint8_t>(*p)) * 1099511628211u;
  return h;
}
struct text { char const* begin = nullptr; int size = 0; };
// The last component of A's name as the compiler prints it: "... [with A = ns::seq]" or "[A = ns::seq]".
template <class A> constexpr text name_of() {
  char const* p = __PRETTY_FUNCTION__;
  char const *begin = p, *end = p;
  for (char const* q = p; *q; ++q) {
    if (q[0] == 'A' && q[1] == ' ' && q[2] == '=' && begin == p) begin = q + 4;
  }
  int depth = 0;
  char const* from = begin;
  for (end = begin; *end && !(depth == 0 && (*end == ']' || *end == ';')); ++end) {
    if (*end == '<') ++depth;
    if (*end == '>') --depth;
    if (depth == 0 && end[0] == ':' && end[1] == ':') from = end + 2;
  }
  return {from, static_cast<int>(end - from)};
}

template <class List, class M> struct joined { using type = List; };
template <template <class...> class X, class... A, class B, class... C>
struct joined<X<A...>, X<B, C...>> : joined<std::conditional_t<has_axis<X<A...>, B>, X<A...>, X<A..., B>>, X<C...>> {};

template <class List> struct emptied;
template <template <class...> class X, class... A> struct emptied<X<A...>> { using type = X<>; };
template <class List, class Gone, class Kept> struct without;
template <template <class...> class X, class Gone, class Kept> struct without<X<>, Gone, Kept> { using type = Kept; };
template <template <class...> class X, class A, class... B, class Gone, class... K>
struct without<X<A, B...>, Gone, X<K...>>
    : without<X<B...>, Gone, std::conditional_t<has_axis<Gone, A>, X<K...>, X<K..., A>>> {};

template <class List, class From, class To> struct swapped;
template <class... A, class From, class To> struct swapped<axes<A...>, From, To> {
  using type = axes<std::conditional_t<std::is_same_v<A, From>, To, A>...>;
};
template <class List> struct unique : std::true_type {};
template <template <class...> class X, class A, class... B>
struct unique<X<A, B...>> : std::bool_constant<!(std::is_same_v<A, B> || ...) && unique<X<B...>>::value> {};

template <class List, class M> inline constexpr bool meet = false;
template <template <class...> class X, class... A, class M> inline constexpr bool meet<X<A...>, M> = (has_axis<M, A> || ...);
}  // namespace detail

template <class A> inline constexpr std::uint64_t axis_key = detail::key_of<A>();

/// The union of two lists; the first one's spelling comes first.
template <class List, class M> using join_axes = typename detail::joined<List, M>::type;
/// List without the members of Gone.
template <class List, class Gone> using drop_axes = typename detail::without<List, Gone, typename detail::emptied<List>::type>::type;
template <class List, class From, class To> using swap_axis = typename detail::swapped<List, From, To>::type;

template <class List, class M> inline constexpr bool axes_inside = false;
template <template <class...> class X, class... A, class M> inline constexpr bool axes_inside<X<A...>, M> = (has_axis<M, A> && ...);
/// The same axes, in whatever order.
template <class List, class M> inline constexpr bool same_axes = axes_inside<List, M> && axes_inside<M, List>;

}  // namespace dyadic
