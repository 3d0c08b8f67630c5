// Visiting the elements of views by name: copying, filling, comparing.
#pragma once
#include <cstdint>

#include "dyadic/tensor/view.hpp"

namespace dyadic {

/// f(i, offset) for every element of the shape, row-major: i counts, offset follows `stride` (one an axis). No recursion, any rank.
template <class List, class F> void for_each_offset(shape<List> const& s, std::int64_t const* stride, F&& f) {
  constexpr int rank = shape<List>::rank;
  std::int64_t const n = s.size();
  if (n == 0) return;
  std::int64_t at[rank ? rank : 1]{}, offset = 0;
  for (std::int64_t i = 0;;) {
    f(i, offset);
    if (++i == n) return;
    for (int k = rank - 1; k >= 0; --k) {
      offset += stride[k];
      if (++at[k] < s.of[k]) break;
      offset -= stride[k] * s.of[k];
      at[k] = 0;
    }
  }
}

namespace detail {
/// Errors: an extent of an axis differs.
template <class List, class M> void check_same_extents(shape<List> const& a, shape<M> const& b, char const* what) {
  [&]<class... B>(axes<B...>) {
    ((a.template extent<B>() == b.template extent<B>()
          ? void()
          : raise(error_kind::shape, message() << what << ": axis extents disagree: " << axis_label<B>() << " is "
                                               << a.template extent<B>() << " and " << b.template extent<B>())),
     ...);
  }(List{});
}
/// Do two views share a byte? By the ranges between their first and last elements.
template <class List, class T, class M, class U> bool overlap(view<List, T> const& a, view<M, U> const& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  auto range = [](auto const& v, std::uintptr_t& first, std::uintptr_t& last) {
    std::int64_t low = 0, high = 0;
    for (int i = 0; i < v.rank; ++i) {
      std::int64_t const reach = v.strides()[i] * (v.extents().of[i] - 1);
      (reach < 0 ? low : high) += reach;
    }
    first = reinterpret_cast<std::uintptr_t>(v.data() + low);
    last = reinterpret_cast<std::uintptr_t>(v.data() + high + 1) - 1;
  };
  std::uintptr_t a0 = 0, a1 = 0, b0 = 0, b1 = 0;
  range(a, a0, a1);
  range(b, b0, b1);
  return a0 <= b1 && b0 <= a1;
}
}  // namespace detail

/// to = from, element by element, matched by axis names; element types convert. The two must not overlap.
/// Errors: extents disagree; `to` repeats elements.
template <class List, class T, class M, class U> void copy_elements(view<List, T> const& to, view<M, U> const& from) {
  static_assert(same_axes<List, M>, "copy: the two lists must name the same axes");
  if constexpr (same_axes<List, M>) {
    detail::check_same_extents(to.extents(), from.extents(), "copy");
    if (to.repeats()) raise(error_kind::argument, "copy: the destination repeats elements (an axis of stride 0)");
    auto const source = from.template reorder<List>();
    T* const p = to.data();
    U* const q = source.data();
    if (to.contiguous()) {
      for_each_offset(to.extents(), source.strides(), [&](std::int64_t i, std::int64_t offset) { p[i] = static_cast<T>(q[offset]); });
    } else {
      std::int64_t const* const s = source.strides();
      auto const& e = source.extents();
      for_each_offset(to.extents(), to.strides(), [&](std::int64_t i, std::int64_t offset) {
        std::int64_t there = 0;
        for (int k = view<List, T>::rank - 1; k >= 0; --k) { there += i % e.of[k] * s[k]; i /= e.of[k]; }
        p[offset] = static_cast<T>(q[there]);
      });
    }
  }
}

/// Every element of the view = value.
template <class List, class T> void fill(view<List, T> const& v, std::type_identity_t<T> value) {
  T* const p = v.data();
  for_each_offset(v.extents(), v.strides(), [&](std::int64_t, std::int64_t offset) { p[offset] = value; });
}

}  // namespace dyadic
