// The query's cotangent of an attend: for query t, the sum over keys s of ds_ts K_s.
// Operands: 0 query, 1 lse, 2 da, 3 delta = <da, attend>; 4 keys, 5 values (far); 6 score, 7 its slope (pair nodes).
// p_ts = exp(score_ts - lse_t); ds_ts = p_ts (<da_t, V_s> - delta_t) slope_ts. A score of -inf contributes exactly 0.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::attend_dq> : op_defaults {
  static constexpr op_class kind = op_class::fold;
  static constexpr int arity = 8;
  static constexpr double flops = 0;   // counted per pair by the cost pass
  static constexpr bool differentiable = false;
  static constexpr bool zero_through(node const&, int k) { return k == 2; }   // delta is 0 with da
};

}  // namespace dyadic
