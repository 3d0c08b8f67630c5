// The loss of predicting classes.
#pragma once
#include "dyadic/expr/functions/operators.hpp"
#include "dyadic/expr/ops/gather.hpp"
#include "dyadic/expr/ops/logsumexp.hpp"
#include "dyadic/expr/ops/select.hpp"

namespace dyadic {

/// cross_entropy<Vocab>(logits, targets): -log softmax(logits)[target] in nats, one loss per row; no mean is taken.
/// A negative target is not counted: loss 0, gradient 0. Axes: those of the logits without Vocab, and the targets'.
/// Errors: logits without the axis Vocab, targets that are not i32.
template <class Vocab, class List, class H, class M, class U, class J>
constexpr auto cross_entropy(expr<List, f32, H> logits, expr<M, U, J> targets, int line = __builtin_LINE()) {
  static_assert(axis_is_in<Vocab, List>, "cross_entropy: the logits have no such axis");
  static_assert(dtype_is<U, i32>, "cross_entropy: the targets must be i32");
  auto const loss = logsumexp<Vocab>(logits, line) - gather<Vocab>(logits, targets, line);
  return select(targets >= 0, loss, 0);
}

}  // namespace dyadic
