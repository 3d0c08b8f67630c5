// op_info of every op as one table, for passes that loop over nodes.
#pragma once
#include "dyadic/expr/ops/all.hpp"

namespace dyadic {

struct op_row {
  op_class kind;
  int arity;
  double flops;
  bool random, differentiable;
  bool (*crosses)(node const&, int);
  bool (*zero_through)(node const&, int);
  void (*adjoint)(gradient&, int, int);
  void (*open)(gradient&, int);
};

namespace detail {
template <class I> constexpr op_row row_of() {
  return {I::kind, I::arity, I::flops, I::random, I::differentiable, &I::crosses, &I::zero_through, &I::adjoint, &I::open};
}
}  // namespace detail

inline constexpr op_row op_table[] = {
#define DYADIC_OP_ROW(name) detail::row_of<op_info<op::name>>(),
    DYADIC_OPS(DYADIC_OP_ROW)
#undef DYADIC_OP_ROW
};
constexpr op_row const& traits(op o) { return op_table[static_cast<int>(o)]; }

/// gradient::derive for any op.
constexpr void derivative_of_node(gradient& g, int i, int d) { traits(g.at(i).kind).adjoint(g, i, d); }

}  // namespace dyadic
