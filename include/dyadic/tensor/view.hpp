// Views: somebody's elements, by named axes with a stride each. Slicing, picking, renaming, reordering and repeating copy nothing.
#pragma once
#include <cstdint>

#include "dyadic/tensor/block.hpp"
#include "dyadic/tensor/shape.hpp"

#if defined(__clang__)
#define DYADIC_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define DYADIC_LIFETIMEBOUND
#endif

namespace dyadic {

/// Axes: a list. T: the element type, const for reading only. A view of a tensor keeps the tensor's memory alive; a view of a raw
/// pointer (or of an Eigen matrix) does not, and must not outlive it.
template <class Axes, class T> class view;

template <class... A, class T> class view<axes<A...>, T> {
 public:
  using list = axes<A...>;
  using element = T;
  static constexpr int rank = sizeof...(A);

  view() = default;
  /// Row-major elements at p.
  view(T* p DYADIC_LIFETIMEBOUND, shape<list> const& s, detail::block keep = {}) : data_(p), shape_(s), keep_(std::move(keep)) {
    std::int64_t step = 1;
    for (int i = rank - 1; i >= 0; --i) {
      stride_[i] = step;
      if (s.of[i] > 1) step = detail::checked_product(step, s.of[i]);
    }
  }
  /// Elements at p with the given strides, one an axis in the list's order, counted in elements; 0 repeats.
  view(T* p DYADIC_LIFETIMEBOUND, shape<list> const& s, std::int64_t const* strides, detail::block keep = {})
      : data_(p), shape_(s), keep_(std::move(keep)) {
    for (int i = 0; i < rank; ++i) stride_[i] = strides[i];
  }
  /// Reading only.
  operator view<list, T const>() const requires(!std::is_const_v<T>) { return {data_, shape_, stride_, keep_}; }

  T* data() const { return data_; }
  shape<list> const& extents() const { return shape_; }
  std::int64_t const* strides() const { return stride_; }
  std::int64_t size() const { return shape_.size(); }
  template <class B> std::int64_t extent() const { return shape_.template extent<B>(); }
  template <class B> std::int64_t stride() const { return stride_[place<B>()]; }
  detail::block const& keep() const { return keep_; }

  /// Row-major in the list's order, without gaps.
  bool contiguous() const {
    std::int64_t step = 1;
    for (int i = rank - 1; i >= 0; --i) {
      if (shape_.of[i] == 0) return true;
      if (shape_.of[i] != 1 && stride_[i] != step) return false;
      step *= shape_.of[i];
    }
    return true;
  }
  /// Some element is reached by two coordinates: such a view cannot be written to.
  bool repeats() const {
    if (size() == 0) return false;
    for (int i = 0; i < rank; ++i) if (stride_[i] == 0 && shape_.of[i] > 1) return true;
    return false;
  }

  /// One element by named coordinates, in any order: `v.at(batch{1}, coordinate<feature>{2})`.
  /// Errors: a position outside its axis; at compile time a wrong, missing or repeated axis.
  template <class... X> T& at(X... x) const {
    static_assert((axis_belongs_to<list, detail::axis_of_value<X>> && ...), "at: the value has no such axis");
    static_assert(((detail::times_given<A, detail::axis_of_value<X>...> == 1) && ...), "at: every axis takes one position");
    std::int64_t offset = 0;
    ((offset += step<detail::axis_of_value<X>>(detail::number_of(x))), ...);
    return data_[offset];
  }
  /// One element by positions in the list's order, unchecked.
  template <class... X> requires(sizeof...(X) == sizeof...(A) && (std::is_integral_v<X> && ...)) T& operator()(X... x) const {
    std::int64_t offset = 0;
    int i = 0;
    ((offset += stride_[i++] * static_cast<std::int64_t>(x)), ...);
    return data_[offset];
  }

  /// [offset, offset + extent of To) of From, as To. To may be From where that is bound at run time.
  /// Errors: the piece leaves the axis.
  template <class From, class To = From> view<swap_axis<list, From, To>, T> slice(std::int64_t offset, To piece = {}) const {
    static_assert(axis_belongs_to<list, From>, "slice: the value has no such axis");
    static_assert(std::is_same_v<From, To> ? From::static_extent < 0 : !has_axis<list, To>, "slice: the piece needs an axis of its own");
    std::int64_t n = To::static_extent;
    if constexpr (To::static_extent < 0) n = piece.extent;
    std::int64_t const whole = extent<From>();
    if (offset < 0 || n < 0 || offset > whole || n > whole - offset) {
      raise(error_kind::index, message() << "slice: " << n << " positions from " << offset << " leave axis "
                                         << detail::axis_label<From>() << " of extent " << whole);
    }
    shape<swap_axis<list, From, To>> s;
    for (int i = 0; i < rank; ++i) s.of[i] = shape_.of[i];
    s.of[place<From>()] = n;
    return {data_ + (n ? offset * stride<From>() : 0), s, stride_, keep_};
  }
  /// One position of B, whose axis goes; negative ones count from the end. Errors: outside the axis.
  template <class B> view<drop_axes<list, axes<B>>, T> pick(std::int64_t position) const {
    static_assert(axis_belongs_to<list, B>, "pick: the value has no such axis");
    using rest = drop_axes<list, axes<B>>;
    std::int64_t const n = extent<B>();
    std::int64_t const offset = step<B>(position < 0 ? position + n : position);
    std::int64_t strides[rank]{};
    int k = 0;
    for (int i = 0; i < rank; ++i) if (i != place<B>()) strides[k++] = stride_[i];
    return {data_ + offset, detail::arranged<rest>(shape_), strides, keep_};
  }
  /// The same elements under another axis of the same extent.
  template <class From, class To> view<swap_axis<list, From, To>, T> rename() const {
    static_assert(axis_belongs_to<list, From>, "rename: the value has no such axis");
    static_assert(!has_axis<list, To>, "rename: the value already has the new axis");
    static_assert(same_extent<To, From::static_extent, To::static_extent>, "axis extents disagree");
    shape<swap_axis<list, From, To>> s;
    for (int i = 0; i < rank; ++i) s.of[i] = shape_.of[i];
    s.template set<To>(extent<From>());
    return {data_, s, stride_, keep_};
  }
  /// The same axes written in another order: a transpose. Only loops and raw pointers see the difference.
  template <class To> view<To, T> reorder() const {
    static_assert(same_axes<To, list>, "reorder: the two lists must name the same axes");
    std::int64_t strides[rank ? rank : 1]{};
    [&]<class... B>(axes<B...>) { ((strides[detail::place_in<B>(To{})] = stride<B>()), ...); }(To{});
    return {data_, detail::arranged<To>(shape_), strides, keep_};
  }
  /// Repeated along a new axis, with stride 0: `v.broadcast<batch>(batch{3})`.
  template <class B> view<axes<B, A...>, T> broadcast(B along = {}) const {
    static_assert(!has_axis<list, B>, "broadcast: the value already has this axis");
    shape<axes<B, A...>> s;
    std::int64_t strides[rank + 1]{};
    for (int i = 0; i < rank; ++i) { s.of[i + 1] = shape_.of[i]; strides[i + 1] = stride_[i]; }
    if constexpr (B::static_extent < 0) s.template set<B>(along.extent);
    return {data_, s, strides, keep_};
  }

 private:
  T* data_ = nullptr;
  shape<list> shape_{};
  std::int64_t stride_[rank ? rank : 1]{};
  detail::block keep_;

  template <class B> static constexpr int place() { return detail::place_in<B>(list{}); }
  template <class B> std::int64_t step(std::int64_t i) const {
    if constexpr (has_axis<list, B>) {
      std::int64_t const n = shape_.of[place<B>()];
      if (i < 0 || i >= n) {
        raise(error_kind::index, message() << "position " << i << " is outside axis " << detail::axis_label<B>() << " of extent "
                                           << n);
      }
      return i * stride_[place<B>()];
    } else {
      return 0;
    }
  }
};

}  // namespace dyadic
