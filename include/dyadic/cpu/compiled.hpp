// A plan with the kernels of its groups, made at compile time.
#pragma once
#include <utility>

#include "dyadic/cpu/group_kernel.hpp"
#include "dyadic/passes/fused.hpp"

namespace dyadic::cpu {

/// What a runner executes: a plan and, when it is fused, the kernels of its groups.
template <class T> struct compiled {
  plan_view plan;
  group_kernel<T> const* kernels = nullptr;
  compiled() = default;
  compiled(plan_view p, group_kernel<T> const* k = nullptr) : plan(p), kernels(k) {}
};

namespace detail {
template <class T, class Fused, int Group, std::size_t... Word> constexpr group_kernel<T> kernel_of_group(std::index_sequence<Word...>) {
  return &compute_group_row<T, signature<Fused::codes.word[Fused::codes.begin[Group] + static_cast<int>(Word)]...>>;
}
template <class T, class Fused> struct kernel_table {
  template <std::size_t... Q> static constexpr auto make(std::index_sequence<Q...>) {
    struct table { group_kernel<T> k[sizeof...(Q) + 1]; };
    return table{{kernel_of_group<T, Fused, static_cast<int>(Q)>(std::make_index_sequence<static_cast<std::size_t>(
        Fused::codes.begin[Q + 1] - Fused::codes.begin[Q])>())..., nullptr}};
  }
  static constexpr auto table = make(std::make_index_sequence<static_cast<std::size_t>(Fused::groups)>());
};
}  // namespace detail

/// The fused plan that Of names, with its kernels for T.
template <class T, class Of> compiled<T> compile() {
  using fused = dyadic::detail::fused_plan<Of>;
  return {fused::view, detail::kernel_table<T, fused>::table.k};
}

}  // namespace dyadic::cpu
