// AdamW (Loshchilov and Hutter, 2019): Adam with weight decay taken from the weight itself and not from its gradient.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

#include "dyadic/axes/error.hpp"
#include "dyadic/cpu/functions/root.hpp"

namespace dyadic::train {

/// Settings of the optimizer; a schedule and parameter groups multiply `rate`.
struct adamw {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1;
};

/// One step for one parameter, all spans of equal length; `first` and `second` are the moments, zeros at the beginning.
///   first = beta1 first + (1 - beta1) g;  second = beta2 second + (1 - beta2) g^2;
///   w -= rate * (first / (1 - beta1^step) / (sqrt(second / (1 - beta2^step)) + epsilon) + decay * w).
/// step counts from 1; `rate` is the final one; g = gradient * gradient_scale (clipping, averaging).
/// Everything is read once and written once; an element's result depends on nothing but its own four numbers.
/// Errors: shape; argument when step < 1. Nothing is written then.
template <class T>
void adamw_step(adamw const& settings, std::int64_t step, double rate, double decay, std::span<T> weight, std::span<T const> gradient,
                std::span<T> first, std::span<T> second, double gradient_scale = 1) {
  if (gradient.size() != weight.size() || first.size() != weight.size() || second.size() != weight.size())
    raise(error_kind::shape, "adamw: weight, gradient and moments differ in length");
  if (step < 1) raise(error_kind::argument, "adamw: steps count from 1");
  double const n = static_cast<double>(step);
  // The corrections are exact near 0, where 1 - beta^n would lose its digits.
  double const correction1 = -std::expm1(n * std::log(settings.beta1)), correction2 = -std::expm1(n * std::log(settings.beta2));
  T const b1 = static_cast<T>(settings.beta1), b2 = static_cast<T>(settings.beta2);
  T const c1 = static_cast<T>(1 - settings.beta1), c2 = static_cast<T>(1 - settings.beta2);
  T const scale = static_cast<T>(gradient_scale), size = static_cast<T>(rate / correction1), epsilon = static_cast<T>(settings.epsilon);
  T const root2 = static_cast<T>(1 / std::sqrt(correction2)), kept = static_cast<T>(1 - rate * decay);
  using V = cpu::vector_of<T>;
  constexpr std::int64_t lanes = cpu::native_lanes<T>;
  auto const update = [&](V& w, V g, V& m, V& v) {
    g *= scale;
    m = b1 * m + c1 * g;
    v = b2 * v + c2 * g * g;
    w = kept * w - size * m / (cpu::square_root<V>(v) * root2 + epsilon);
  };
  T *const w = weight.data(), *const m = first.data(), *const v = second.data();
  T const* const g = gradient.data();
  std::int64_t const count = std::ssize(weight);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    V a = cpu::load<V>(w + i), b = cpu::load<V>(m + i), c = cpu::load<V>(v + i);
    update(a, cpu::load<V>(g + i), b, c);
    cpu::store<V>(w + i, a);
    cpu::store<V>(m + i, b);
    cpu::store<V>(v + i, c);
  }
  if (i == count) return;
  std::int64_t const rest = count - i;
  V a = cpu::load_first<V>(w + i, rest), b = cpu::load_first<V>(m + i, rest), c = cpu::load_first<V>(v + i, rest);
  update(a, cpu::load_first<V>(g + i, rest), b, c);
  cpu::store_first<V>(w + i, a, rest);
  cpu::store_first<V>(m + i, b, rest);
  cpu::store_first<V>(v + i, c, rest);
}

}  // namespace dyadic::train
