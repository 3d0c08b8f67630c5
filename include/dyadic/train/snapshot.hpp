// A copy of all weights: the best so far, or the ones before an experiment.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "dyadic/axes/error.hpp"

namespace dyadic::train {

/// The values of a list of buffers, in the order they were given.
template <class T> class snapshot {
 public:
  snapshot() = default;
  explicit snapshot(std::span<std::span<T> const> buffers) {
    for (auto const& b : buffers) copies_.emplace_back(b.begin(), b.end());
  }
  bool empty() const { return copies_.empty(); }

  /// Errors: shape, when the buffers are not those of the copy; none is written then.
  void restore(std::span<std::span<T> const> buffers) const {
    bool same = buffers.size() == copies_.size();
    for (std::size_t i = 0; same && i < copies_.size(); ++i) same = buffers[i].size() == copies_[i].size();
    if (!same) raise(error_kind::shape, "snapshot: not the buffers it was taken from");
    for (std::size_t i = 0; i < copies_.size(); ++i) std::copy(copies_[i].begin(), copies_[i].end(), buffers[i].begin());
  }

 private:
  std::vector<std::vector<T>> copies_;
};

}  // namespace dyadic::train
