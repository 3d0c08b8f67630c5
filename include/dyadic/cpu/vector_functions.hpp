// Functions that the compiler does not vectorise, in float, through Eigen's packet mathematics. Double keeps the standard library's.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <type_traits>

#include "dyadic/expr/op_list.hpp"

namespace dyadic::cpu {

template <op O, class T> inline constexpr bool has_vector_function =
    std::is_same_v<T, float> && (O == op::exp || O == op::log || O == op::tanh || O == op::sigmoid || O == op::silu ||
                                 O == op::silu_slope || O == op::sin || O == op::cos || O == op::sqrt || O == op::rsqrt);

template <op O> void vector_function(float* r, float const* x, std::int64_t n) {
  using array = Eigen::Array<float, Eigen::Dynamic, 1>;
  Eigen::Map<array> out(r, n);
  Eigen::Map<array const> in(x, n);
  if constexpr (O == op::exp) out = in.exp();
  else if constexpr (O == op::log) out = in.log();
  else if constexpr (O == op::tanh) out = in.tanh();
  else if constexpr (O == op::sin) out = in.sin();
  else if constexpr (O == op::cos) out = in.cos();
  else if constexpr (O == op::sqrt) out = in.sqrt();
  else if constexpr (O == op::rsqrt) out = in.sqrt().inverse();
  else if constexpr (O == op::sigmoid) out = ((-in).exp() + 1.0f).inverse();
  else if constexpr (O == op::silu) out = in / ((-in).exp() + 1.0f);
  else if constexpr (O == op::silu_slope) {
    for (std::int64_t i = 0; i < n; i += 64) {
      std::int64_t const m = n - i < 64 ? n - i : 64;
      float s[64];
      Eigen::Map<array> g(s, m);
      g = ((-in.segment(i, m)).exp() + 1.0f).inverse();
      for (std::int64_t j = 0; j < m; ++j) r[i + j] = s[j] * (1 + x[i + j] * (1 - s[j]));
    }
  }
}

}  // namespace dyadic::cpu
