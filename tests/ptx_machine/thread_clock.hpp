// What a thread knows of threads that no barrier it passed orders: through fences, strong accesses and barriers of some threads only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ptx_machine {

/// For threads of some blocks, the time before which all of a thread's accesses are known. Cheap to copy: most threads know nothing.
class thread_clock {
 public:
  using times = std::shared_ptr<std::vector<std::uint32_t> const>;

  bool knows(std::uint32_t block, std::uint32_t thread, std::uint32_t time) const {
    if (!of_) return false;
    auto const found = of_->find(block);
    return found != of_->end() && time < (*found->second)[thread];
  }
  times of(std::uint32_t block) const {
    if (!of_) return {};
    auto const found = of_->find(block);
    return found == of_->end() ? times() : found->second;
  }
  bool empty() const { return !of_; }
  void clear() { of_.reset(); }

  void join(std::uint32_t block, times const& other) {
    if (!other) return;
    auto made = of_ ? std::make_shared<blocks>(*of_) : std::make_shared<blocks>();
    merge((*made)[block], other);
    of_ = std::move(made);
  }
  void join(thread_clock const& other) {
    if (!other.of_ || other.of_ == of_) return;
    if (!of_) {
      of_ = other.of_;
      return;
    }
    auto made = std::make_shared<blocks>(*of_);
    for (auto const& [block, t] : *other.of_) merge((*made)[block], t);
    of_ = std::move(made);
  }

 private:
  using blocks = std::map<std::uint32_t, times>;
  static void merge(times& mine, times const& other) {
    if (!mine) mine = other;
    if (mine == other) return;
    auto made = std::make_shared<std::vector<std::uint32_t>>(*mine);
    for (std::size_t i = 0; i < made->size(); ++i) (*made)[i] = std::max((*made)[i], (*other)[i]);
    mine = std::move(made);
  }
  std::shared_ptr<blocks const> of_;
};

}  // namespace ptx_machine
