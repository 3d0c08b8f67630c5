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
};
/// Apart from the rest: reverse mode runs in the compiler, so a program that only executes plans holds none of these functions.
struct derivative_row {
  void (*adjoint)(gradient&, int, int);
  void (*open)(gradient&, int);
};

namespace detail {
template <class Info> constexpr op_row row_of() {
  return {Info::kind, Info::arity, Info::flops, Info::random, Info::differentiable, &Info::crosses, &Info::zero_through};
}
}  // namespace detail

inline constexpr op_row op_table[] = {
#define DYADIC_OP_ROW(name) detail::row_of<op_info<op::name>>(),
    DYADIC_OPS(DYADIC_OP_ROW)
#undef DYADIC_OP_ROW
};
inline constexpr derivative_row derivative_table[] = {
#define DYADIC_DERIVATIVE_ROW(name) {&op_info<op::name>::adjoint, &op_info<op::name>::open},
    DYADIC_OPS(DYADIC_DERIVATIVE_ROW)
#undef DYADIC_DERIVATIVE_ROW
};
constexpr derivative_row const& derivative(op o) { return derivative_table[static_cast<int>(o)]; }
constexpr op_row const& traits(op o) { return op_table[static_cast<int>(o)]; }

/// gradient::derive for any op.
constexpr void derivative_of_node(gradient& g, int i, int d) { derivative(g.at(i).kind).adjoint(g, i, d); }

}  // namespace dyadic
