// bind(batch{8}, seq{256}): which axes get which extents. A plain value; graphs look extents up by the axis' key.
#pragma once
#include <cstdint>

#include "dyadic/axes/axis.hpp"
#include "dyadic/axes/error.hpp"

namespace dyadic {

// The conditions of the static_asserts, named so that "evaluates to false" reads as a sentence.
template <class... A> inline constexpr bool every_axis_is_bound_once = detail::unique<axes<A...>>::value;
template <class A> inline constexpr bool extent_is_bound_at_run_time = A::static_extent < 0;

namespace detail {
// Not constexpr: in a constant expression the compiler's complaint about this call names what is wrong.
[[noreturn]] inline void bound_to_a_negative_extent(text name) {
  raise(error_kind::binding, (message() << "axis ").add(name.begin, name.size) << " is bound to a negative extent");
}
template <class A> constexpr std::int64_t checked_extent(A const& a) {
  static_assert(extent_is_bound_at_run_time<A>, "bind: this axis has a static extent, which cannot be bound again");
  std::int64_t n = A::static_extent;
  if constexpr (A::static_extent < 0) n = a.extent;
  if (n < 0) bound_to_a_negative_extent(name_of<A>());
  return n;
}
}  // namespace detail

/// Extents by axis. Two bindings with the same axes in another order are different types that mean the same.
template <class... A> struct binding {
  using bound = axes<A...>;
  static constexpr int size = sizeof...(A);
  std::int64_t n[size > 0 ? size : 1]{};

  constexpr std::int64_t extent(int k) const { return n[k]; }
  static constexpr std::uint64_t key(int k) {
    constexpr std::uint64_t keys[size > 0 ? size : 1]{axis_key<A>...};
    return keys[k];
  }
  static constexpr detail::text name(int k) {
    constexpr detail::text names[size > 0 ? size : 1]{detail::name_of<A>()...};
    return names[k];
  }
  /// The extent bound to axis B, or -1.
  template <class B> constexpr std::int64_t get() const {
    for (int k = 0; k < size; ++k) if (key(k) == axis_key<B>) return n[k];
    return -1;
  }
  constexpr bool operator==(binding const&) const = default;
};

/// bind(batch{8}, seq{256}). Errors: an axis named twice or of static extent (compile time); a negative extent (a compile-time error in a
/// constant expression, else error_kind::binding).
template <class... A> constexpr binding<A...> bind(A const&... a) {
  static_assert(every_axis_is_bound_once<A...>, "bind: an axis is bound twice");
  binding<A...> r;
  [[maybe_unused]] int k = 0;
  ((r.n[k++] = detail::checked_extent(a)), ...);
  return r;
}

/// Both bindings' axes. Errors (compile time): an axis that both bind.
template <class... A, class... B> constexpr binding<A..., B...> join(binding<A...> const& x, binding<B...> const& y) {
  static_assert(every_axis_is_bound_once<A..., B...>, "bind: an axis is bound twice");
  binding<A..., B...> r;
  for (int k = 0; k < x.size; ++k) r.n[k] = x.n[k];
  for (int k = 0; k < y.size; ++k) r.n[x.size + k] = y.n[k];
  return r;
}

}  // namespace dyadic
