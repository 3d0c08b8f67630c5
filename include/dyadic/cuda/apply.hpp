// A pointwise op of one element, on the device: the op's own scalar function.
#pragma once
#include "dyadic/expr/op_table.hpp"

namespace dyadic::cuda {

/// op O of x, y, z; operands beyond its number are not looked at. To: of a cast.
template <op O, dtype To, class T> __device__ __forceinline__ T apply(T x, T y, T z) {
  if constexpr (O == op::stop_gradient || O == op::probe || O == op::spread || O == op::keep) return x;
  else if constexpr (O == op::cast) return op_info<op::cast>::apply(x, To);
  else if constexpr (op_info<O>::arity == 1) return static_cast<T>(op_info<O>::apply(x));
  else if constexpr (op_info<O>::arity == 2) return static_cast<T>(op_info<O>::apply(x, y));
  else return static_cast<T>(op_info<O>::apply(x, y, z));
}

/// What reductions combine with. A NaN stays.
template <op O> struct combine {
  /// Of nothing.
  template <class T> static constexpr T start =
      O == op::sum ? T(0) : O == op::reduce_max ? -math::infinity<T> : math::infinity<T>;
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (O == op::sum) return a + b;
    else if constexpr (O == op::reduce_max) return b > a || b != b ? b : a;
    else return b < a || b != b ? b : a;
  }
};

}  // namespace dyadic::cuda
