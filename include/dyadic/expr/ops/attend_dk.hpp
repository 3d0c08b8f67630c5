// The keys' cotangent of an attend: for key s, the sum over later queries t of ds_ts q_t.
// Operands: 0 keys, 1 values; 2 query, 3 lse, 4 da, 5 delta (far, on the other side); 6 score, 7 its slope (pair nodes).
// p_ts = exp(score_ts - lse_t); ds_ts = p_ts (<da_t, V_s> - delta_t) slope_ts. A score of -inf contributes exactly 0.
#pragma once
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::attend_dk> : op_defaults {
  static constexpr op_class kind = op_class::fold;
  static constexpr int arity = 8;
  static constexpr double flops = 0;   // counted per pair by the cost pass
  static constexpr bool differentiable = false;
  static constexpr bool zero_through(node const&, int k) { return k == 4; }   // delta is 0 with da
};

}  // namespace dyadic
