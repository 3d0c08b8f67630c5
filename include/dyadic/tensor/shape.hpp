// Extents by name, in the order in which the axes are written: what a tensor or view knows about its size.
#pragma once
#include <cstdint>
#include <type_traits>

#include "dyadic/axes/bind.hpp"

namespace dyadic {

/// A position along an axis, by name, for axes whose extent is static: `x.at(batch{1}, coordinate<feature>{2})`.
template <class A> struct coordinate { std::int64_t position = 0; };

namespace detail {

/// A's name, for messages.
template <class A> struct axis_label {};
template <class A> constexpr message& operator<<(message& m, axis_label<A>) {
  constexpr text n = name_of<A>();
  return m.add(n.begin, n.size);
}
/// a * b; raises when it does not fit.
constexpr std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) raise(error_kind::shape, "a size overflows 64 bits");
  return r;
}
constexpr std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) raise(error_kind::shape, "a size overflows 64 bits");
  return r;
}

// Where A stands in a list.
template <class A, class... B> constexpr int place_in(axes<B...>) {
  int at = -1, i = 0;
  ((at = at < 0 && std::is_same_v<A, B> ? i : at, ++i), ...);
  return at;
}

// Which axis a value names (a run-time axis names itself), and which position or extent it gives.
template <class X> struct named_by { using type = X; };
template <class A> struct named_by<coordinate<A>> { using type = A; };
template <class X> using axis_of_value = typename named_by<X>::type;
template <class X> constexpr std::int64_t number_of(X const& x) { return x.extent; }
template <class A> constexpr std::int64_t number_of(coordinate<A> const& x) { return x.position; }

template <class A, class... Given> inline constexpr int times_given = (0 + ... + (std::is_same_v<A, Given> ? 1 : 0));
}  // namespace detail

// Conditions of the static_asserts below; the compiler prints them with the axes in their arguments.
template <class A, class... Given> inline constexpr bool axis_is_bound = A::static_extent >= 0 || detail::times_given<A, Given...> > 0;
template <class A, class... Given> inline constexpr bool axis_is_bound_once = detail::times_given<A, Given...> <= 1;
template <class List, class A> inline constexpr bool axis_belongs_to = has_axis<List, A>;
template <class List> inline constexpr bool named_once = detail::unique<List>::value;
/// Size and M are the extents of the axis A in two places; -1 where it is known at run time only.
template <class A, int Size, int M> inline constexpr bool same_extent = Size < 0 || M < 0 || Size == M;

/// A value of a run-time axis: an extent or a position, by name.
template <class X> concept axis_value = requires(X x) { x.extent; X::static_extent; };

template <class List> struct shape;

template <class... A> struct shape<axes<A...>> {
  static_assert(named_once<axes<A...>>, "an axis is named twice in one list");
  static constexpr int rank = sizeof...(A);
  std::int64_t of[rank ? rank : 1]{};

  /// Static extents, and 0 for the others.
  constexpr shape() : of{(A::static_extent >= 0 ? A::static_extent : 0)...} {}

  /// The run-time axes by name, in any order: `shape<axes<batch, feature>>(feature{3}, batch{2})`.
  /// Errors: negative extents; at compile time an axis that is missing, given twice or not in the list.
  template <axis_value... X> requires(sizeof...(X) > 0) constexpr explicit shape(X... x) : shape() {
    static_assert((axis_belongs_to<axes<A...>, X> && ...), "an extent is bound for an axis that is not in the list");
    static_assert((axis_is_bound_once<A, X...> && ...), "an axis is bound twice");
    static_assert((axis_is_bound<A, X...> && ...), "a run-time axis has no extent: bind it by a value of its type");
    (set<X>(x.extent), ...);
  }
  /// The same from `bind(batch{2}, feature{3})`.
  template <class... X> constexpr explicit shape(binding<X...> const& b) : shape(X{b.template get<X>()}...) {}

  template <class B> constexpr std::int64_t extent() const {
    static_assert(axis_belongs_to<axes<A...>, B>, "the value has no such axis");
    if constexpr (axis_belongs_to<axes<A...>, B>) return of[detail::place_in<B>(axes<A...>{})];
    else return 0;
  }
  /// Errors: a negative extent, or one that differs from a static one.
  template <class B> constexpr void set(std::int64_t n) {
    if constexpr (axis_belongs_to<axes<A...>, B>) {
      if (n < 0) raise(error_kind::binding, message() << "axis " << detail::axis_label<B>() << " has the negative extent " << n);
      if (B::static_extent >= 0 && n != B::static_extent) {
        raise(error_kind::shape, message() << "axis extents disagree: " << detail::axis_label<B>() << " is " << B::static_extent
                                           << " by its type and " << n << " here");
      }
      of[detail::place_in<B>(axes<A...>{})] = n;
    }
  }
  /// Number of elements. Errors: it does not fit 64 bits (checked without regard to zero extents elsewhere).
  constexpr std::int64_t size() const {
    std::int64_t n = 1;
    bool empty = false;
    for (int i = 0; i < rank; ++i) {
      if (of[i] == 0) empty = true;
      else n = detail::checked_product(n, of[i]);
    }
    return empty ? 0 : n;
  }
  constexpr bool operator==(shape const& o) const {
    for (int i = 0; i < rank; ++i) if (of[i] != o.of[i]) return false;
    return true;
  }
};

namespace detail {
/// The extents of `from` for the axes of To, which `from` has all.
template <class To, class From> constexpr shape<To> arranged(shape<From> const& from) {
  shape<To> r;
  [&]<class... B>(axes<B...>) { ((r.of[place_in<B>(To{})] = from.template extent<B>()), ...); }(To{});
  return r;
}
}  // namespace detail

}  // namespace dyadic
