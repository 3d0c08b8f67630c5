// Every operation a graph can hold, one word each; each has a file of its name in ops/, which says what it means.
#pragma once
#include <cstdint>

// clang-format off
#define DYADIC_OPS(X)                                                                                                        \
  /* leaves */   X(input) X(param) X(constant) X(iota) X(extent) X(uniform) X(normal) X(bernoulli) X(dropout_mask)           \
  /* maps, 1 */  X(neg) X(exp) X(log) X(sqrt) X(rsqrt) X(reciprocal) X(reciprocal_or_zero) X(tanh) X(sigmoid) X(silu)        \
                 X(silu_slope) X(gelu) X(gelu_slope) X(gelu_tanh) X(gelu_tanh_slope) X(relu) X(squared_relu) X(softplus)     \
                 X(sin) X(cos) X(erf) X(abs) X(sign) X(floor) X(cast) X(stop_gradient) X(probe)                              \
  /* maps, 2 */  X(add) X(sub) X(mul) X(div) X(minimum) X(maximum) X(power) X(modulo) X(less) X(less_equal) X(equal)         \
                 X(shifted_exp)                                                                                              \
  /* maps, 3 */  X(select) X(clamp)                                                                                          \
  /* rows */     X(sum) X(spread) X(reduce_max) X(reduce_min) X(argmax) X(logsumexp) X(softmax) X(contract)                  \
  /* views */    X(window) X(pick) X(place) X(if_empty) X(split) X(merge) X(rotate_half) X(keep)                             \
  /* indexed */  X(gather) X(scatter)                                                                                        \
  /* far */      X(prev) X(shift) X(take) X(put) X(put_leaf)                                                                 \
  /* pairs */    X(score) X(distance) X(at_key)                                                                              \
  /* folds */    X(attend) X(attend_lse) X(attend_dq) X(attend_dk) X(attend_dv) X(attend_dscore_query) X(attend_dscore_key)
// clang-format on

namespace dyadic {

enum class op : std::uint8_t {
#define DYADIC_OP_NAME(name) name,
  DYADIC_OPS(DYADIC_OP_NAME)
#undef DYADIC_OP_NAME
};

inline constexpr char const* op_names[] = {
#define DYADIC_OP_TEXT(name) #name,
    DYADIC_OPS(DYADIC_OP_TEXT)
#undef DYADIC_OP_TEXT
};
inline constexpr int op_count = static_cast<int>(sizeof(op_names) / sizeof(op_names[0]));
constexpr char const* op_name(op o) { return op_names[static_cast<int>(o)]; }

}  // namespace dyadic
