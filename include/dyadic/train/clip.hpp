// Clipping by the global norm: all gradients are scaled by one number when their common norm is too long.
#pragma once
#include <cmath>
#include <span>

#include "dyadic/axes/error.hpp"

namespace dyadic::train {

/// The sum of squares, in double and in order: the same on every machine for the same values.
template <class T> double sum_of_squares(std::span<T const> gradient) {
  double s = 0;
  for (T const g : gradient) s += static_cast<double>(g) * static_cast<double>(g);
  return s;
}

/// What every gradient is multiplied by so that the norm is at most `longest`: 1 when it already is.
/// Errors: argument, when the norm is not finite (no weight has been touched yet) or longest is not positive.
inline double clip_scale(double norm, double longest) {
  if (!std::isfinite(norm)) raise(error_kind::argument, "the gradient's norm is not finite");
  if (!(longest > 0)) raise(error_kind::argument, "the longest norm must be positive");
  return norm > longest ? longest / norm : 1.0;
}

}  // namespace dyadic::train
