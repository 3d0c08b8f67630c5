// Choosing the next token from logits: the most likely one, or one drawn after temperature, top-k and top-p.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "dyadic/axes/error.hpp"
#include "dyadic/tensor/counter_random.hpp"

namespace dyadic::decode {

/// temperature 0: the most likely token. top_k 0: all tokens. top_p 1: all tokens.
struct sampling {
  double temperature = 1;
  std::int64_t top_k = 0;
  double top_p = 1;
};

/// The first of the largest. Errors: argument, when there is no logit, one is NaN, or none is above -inf.
template <class T> std::int64_t greedy(std::span<T const> logits) {
  std::int64_t best = -1;
  T most = -std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) raise(error_kind::argument, "a logit is not a number");
    if (logits[i] > most) { most = logits[i]; best = static_cast<std::int64_t>(i); }
  }
  if (best < 0) raise(error_kind::argument, "no token is possible: every logit is -inf");
  return best;
}

/// Draws tokens, reproducibly: draw n of a seed is one number, whatever came before. Copies continue on their own.
class sampler {
 public:
  /// Errors: argument, for a setting outside its range.
  explicit sampler(sampling settings, std::uint64_t seed = 0) : settings_(settings), seed_(seed) {
    if (!(settings.temperature >= 0) || std::isinf(settings.temperature))
      raise(error_kind::argument, "the temperature must be finite and not negative");
    if (settings.top_k < 0) raise(error_kind::argument, "top_k must not be negative");
    if (!(settings.top_p > 0 && settings.top_p <= 1)) raise(error_kind::argument, "top_p must lie in (0, 1]");
  }

  /// The next token. Errors: as greedy(); the number of draws is then unchanged.
  template <class T> std::int64_t operator()(std::span<T const> logits) {
    std::int64_t const best = greedy(logits);
    if (settings_.temperature == 0) return best;
    weigh(logits, logits[static_cast<std::size_t>(best)]);
    return draw(unit_interval(random_bits(seed_, draws_++)));
  }

  std::uint64_t draws() const { return draws_; }

 private:
  // Tokens from the most likely down (of equals, the lower number first), with exp((logit - max) / temperature) as weights.
  template <class T> void weigh(std::span<T const> logits, T most) {
    order_.resize(logits.size());
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    auto const logit = [&](std::int64_t i) { return logits[static_cast<std::size_t>(i)]; };
    std::stable_sort(order_.begin(), order_.end(), [&](std::int64_t a, std::int64_t b) { return logit(a) > logit(b); });
    if (settings_.top_k > 0 && settings_.top_k < static_cast<std::int64_t>(order_.size()))
      order_.resize(static_cast<std::size_t>(settings_.top_k));
    weight_.clear();
    for (std::int64_t const i : order_) {
      double const x = static_cast<double>(logit(i));
      // +inf - +inf has no meaning: infinite logits share everything.
      bool const equal = logit(i) == most;
      weight_.push_back(equal ? 1.0 : std::exp((x - static_cast<double>(most)) / settings_.temperature));
    }
    // top_p: the fewest of the most likely that hold at least that much, and always the first.
    double const enough = settings_.top_p * std::accumulate(weight_.begin(), weight_.end(), 0.0);
    if (settings_.top_p < 1) {
      double held = 0;
      std::size_t n = 0;
      while (n < weight_.size() && (n == 0 || held < enough)) held += weight_[n++];
      weight_.resize(n);
    }
  }

  std::int64_t draw(double u) const {
    double const all = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    double rest = u * all;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      if (weight_[i] <= 0) break;   // sorted: nothing possible follows
      last = i;
      if (rest < weight_[i]) break;
      rest -= weight_[i];
    }
    return order_[last];
  }

  sampling settings_;
  std::uint64_t seed_, draws_ = 0;
  std::vector<std::int64_t> order_;
  std::vector<double> weight_;
};

}  // namespace dyadic::decode
