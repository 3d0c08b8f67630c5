// Rounding by definition, for checks: of all values of a format, the one that a rounding of an exact real number picks. Nothing here is
// shared with the interpreter.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace scripted {

/// All finite values of a format, ascending from 0, made by counting; values[i] has the bits i.
inline std::vector<double> finite_values(int exponent_bits, int mantissa_bits) {
  std::vector<double> values;
  int const bias = (1 << (exponent_bits - 1)) - 1;
  for (int e = 0; e < (1 << exponent_bits) - 1; ++e)
    for (int f = 0; f < 1 << mantissa_bits; ++f) {
      double const significand = f / std::pow(2.0, mantissa_bits) + (e ? 1 : 0);
      values.push_back(significand * std::pow(2.0, (e ? e : 1) - bias));
    }
  return values;
}

/// The bits of x, a real number given exactly (as a long double, or in 113 bits), under "rn", "rz", "rm", "rp" or "rna". 0 is taken for +0.
class rounding_by_search {
 public:
  rounding_by_search(int exponent_bits, int mantissa_bits)
      : values_(finite_values(exponent_bits, mantissa_bits)), sign_bit_(1u << (exponent_bits + mantissa_bits)) {
    double const last_step = values_.back() - values_[values_.size() - 2];
    beyond_ = values_.back() + last_step;   // where the next value would be: infinity's place
  }
  template <class Real> std::uint32_t operator()(Real x, std::string const& mode) const {
    bool const negative = x < 0;
    Real const m = negative ? -x : x;
    std::uint32_t const infinity = static_cast<std::uint32_t>(values_.size());
    std::size_t below = 0, above = values_.size();   // values_[below] <= m < value of above
    while (above - below > 1) {
      std::size_t const middle = (below + above) / 2;
      (static_cast<Real>(values_[middle]) <= m ? below : above) = middle;
    }
    Real const low = values_[below], high = above == values_.size() ? beyond_ : values_[above];
    std::size_t r = below;
    if (m != low) {
      bool up = false;
      if (mode == "rz") up = false;
      else if (mode == "rp") up = !negative;
      else if (mode == "rm") up = negative;
      else if (m - low > high - m) up = true;
      else if (m - low == high - m) up = mode == "rna" || below % 2 == 1;
      if (up) r = above;
    }
    return (negative ? sign_bit_ : 0u) | (r == values_.size() ? infinity : static_cast<std::uint32_t>(r));
  }
  std::vector<double> const& values() const { return values_; }

 private:
  std::vector<double> values_;
  std::uint32_t sign_bit_;
  double beyond_;
};

}  // namespace scripted
