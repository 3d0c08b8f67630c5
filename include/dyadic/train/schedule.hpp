// The learning rate's course: linear warm-up, then half a cosine down to a floor (Loshchilov and Hutter, 2017).
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace dyadic::train {

/// Factors of the rate. warmup = 0: no warm-up; total = 0: constant after the warm-up.
struct cosine_schedule {
  std::int64_t warmup = 0, total = 0;
  double floor = 0.1;

  /// At step 0, 1, ...: (step + 1) / warmup, then 1 falling to floor at step total, and floor from there on.
  double operator()(std::int64_t step) const {
    if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup);
    if (total <= 0) return 1;
    if (step >= total) return floor;
    double const progress = static_cast<double>(step - warmup) / static_cast<double>(total - warmup);
    return floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
  }
};

}  // namespace dyadic::train
