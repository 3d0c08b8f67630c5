// Loops over constants on the device.
#pragma once
#include <utility>

namespace dyadic::cuda {

/// A number as a type.
template <int Value> struct constant { static constexpr int value = Value; };

namespace detail {
template <class F, int... Index> __device__ __forceinline__ void call_each(F& f, std::integer_sequence<int, Index...>) {
  (f(constant<Index>{}), ...);
}
}  // namespace detail

/// f(0), ..., f(Count - 1), each with its number as a constant.
template <int Count, class F> __device__ __forceinline__ void unroll(F&& f) {
  detail::call_each(f, std::make_integer_sequence<int, Count>{});
}

}  // namespace dyadic::cuda
