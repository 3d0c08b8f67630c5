// Tensors: elements of their own over named axes, row-major in the list's order.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "dyadic/tensor/elements.hpp"
#include "dyadic/tensor/view.hpp"

namespace dyadic {

/// A value like std::vector: copying copies the elements, moving takes them. Views and live expressions share the memory and keep it
/// alive, so they may outlive the tensor; they see what is written to it later. `x = eval(...)` gives x new memory and leaves theirs alone.
template <class Axes, class T = float> class tensor {
 public:
  using list = Axes;
  using element = T;
  using shape_type = shape<Axes>;
  static_assert(std::is_trivially_copyable_v<T>, "a tensor's elements are plain values");

  /// Of extent 0 along every run-time axis.
  tensor() : tensor(shape_type{}) {}
  /// Zeros. Errors: the size overflows, or there is no memory.
  explicit tensor(shape_type const& s) : shape_(s), memory_(detail::checked_product(s.size(), static_cast<std::int64_t>(sizeof(T)))) {
    std::int64_t const n = size();
    T* const p = data();
    for (std::int64_t i = 0; i < n; ++i) p[i] = T{};
  }
  /// Zeros; the extents by name in any order: `tensor<axes<batch, feature>>(batch{2}, feature{3})`.
  template <axis_value... X> requires(sizeof...(X) > 0)
  explicit tensor(X... x) : tensor(shape_type(x...)) {}
  template <class... X> explicit tensor(binding<X...> const& b) : tensor(shape_type(b)) {}
  /// Given elements, row-major. Errors: their number is not the shape's.
  tensor(shape_type const& s, std::initializer_list<T> values) : tensor(s) {
    if (static_cast<std::int64_t>(values.size()) != size()) {
      raise(error_kind::shape, message() << static_cast<std::int64_t>(values.size()) << " values for a tensor of " << size()
                                         << " elements");
    }
    T* p = data();
    for (T const& v : values) *p++ = v;
  }
  /// A copy of a view's elements, in this list's order.
  template <class List> explicit tensor(dyadic::view<List, T const> const& v) : tensor(detail::arranged<Axes>(v.extents())) {
    static_assert(same_axes<List, Axes>, "copy: the two lists must name the same axes");
    copy_elements(dyadic::view<Axes, T>(*this), v);
  }
  template <class List>
  explicit tensor(dyadic::view<List, T> const& v) requires(!std::is_const_v<T>) : tensor(dyadic::view<List, T const>(v)) {}

  tensor(tensor const& o) : tensor(o.shape_) { for (std::int64_t i = 0, n = o.size(); i < n; ++i) data()[i] = o.data()[i]; }
  tensor(tensor&& o) noexcept : shape_(o.shape_), memory_(std::move(o.memory_)) { o.shape_ = nothing(); }
  tensor& operator=(tensor const& o) { return *this = tensor(o); }
  tensor& operator=(tensor&& o) noexcept {
    if (this == &o) return *this;
    shape_ = o.shape_;
    memory_ = std::move(o.memory_);
    o.shape_ = nothing();
    return *this;
  }

  operator dyadic::view<Axes, T>() { return {data(), shape_, memory_}; }
  operator dyadic::view<Axes, T const>() const { return {data(), shape_, memory_}; }
  /// All elements, as a view that keeps the memory alive.
  dyadic::view<Axes, T> view() { return *this; }
  dyadic::view<Axes, T const> view() const { return *this; }

  T* data() { return static_cast<T*>(memory_.data()); }
  T const* data() const { return static_cast<T const*>(memory_.data()); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  T const* begin() const { return data(); }
  T const* end() const { return data() + size(); }
  std::int64_t size() const { return memory_.data() ? shape_.size() : 0; }
  shape_type const& extents() const { return shape_; }
  template <class B> std::int64_t extent() const { return shape_.template extent<B>(); }

  /// As view::at: named, checked.
  template <class... X> T& at(X... x) { return view().at(x...); }
  template <class... X> T const& at(X... x) const { return view().at(x...); }
  /// As view::operator(): in the list's order, unchecked.
  template <class... X> T& operator()(X... x) { return view()(x...); }
  template <class... X> T const& operator()(X... x) const { return view()(x...); }

  tensor& fill(T value) {
    for (T& x : *this) x = value;
    return *this;
  }

 private:
  shape_type shape_;
  detail::block memory_;
  static shape_type nothing() { return {}; }
};

/// A tensor with the view's elements.
template <class List, class T> tensor<List, std::remove_const_t<T>> copy(view<List, T> const& v) {
  return tensor<List, std::remove_const_t<T>>(view<List, T const>(v));
}

}  // namespace dyadic
