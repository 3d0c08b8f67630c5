// Operations of the device (launches, copies, fills, frees) and what is ordered before each: vector clocks over streams.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ptx_machine {

/// For every stream the number of its operations that are known to be complete.
class stream_clock {
 public:
  std::uint32_t operator[](std::uint32_t stream) const { return stream < known_.size() ? known_[stream] : 0; }
  void raise(std::uint32_t stream, std::uint32_t number) {
    if (stream >= known_.size()) known_.resize(stream + 1);
    known_[stream] = std::max(known_[stream], number);
  }
  void join(stream_clock const& o) {
    if (o.known_.size() > known_.size()) known_.resize(o.known_.size());
    for (std::size_t i = 0; i < o.known_.size(); ++i) known_[i] = std::max(known_[i], o.known_[i]);
  }
  std::uint32_t streams() const { return static_cast<std::uint32_t>(known_.size()); }

 private:
  std::vector<std::uint32_t> known_;
};

/// `before` is what is ordered before it, itself included at its own stream.
struct operation {
  std::uint32_t id = 0;
  std::uint32_t stream = 0, number = 0;   // the number-th of its stream, from 1
  stream_clock before;
  std::string what;   ///< "launch of rms_norm", for messages
};

/// Remembers where each operation stood, which is all that a granule of memory needs to ask.
class operation_table {
 public:
  static operation_table& get() {
    static auto* t = new operation_table;
    return *t;
  }
  /// The next operation of a stream, after `before` (which it extends).
  operation add(std::uint32_t stream, stream_clock before, std::string what) {
    std::uint32_t const number = stream < numbers_.size() ? numbers_[stream] + 1 : 1;
    if (stream >= numbers_.size()) numbers_.resize(stream + 1);
    numbers_[stream] = number;
    before.raise(stream, number);
    places_.push_back({stream, number, what});
    return {static_cast<std::uint32_t>(places_.size() - 1), stream, number, std::move(before), std::move(what)};
  }
  bool ordered(std::uint32_t earlier, operation const& later) const {
    return places_[earlier].number <= later.before[places_[earlier].stream];
  }
  bool ordered(std::uint32_t earlier, stream_clock const& later) const {
    return places_[earlier].number <= later[places_[earlier].stream];
  }
  std::string const& what(std::uint32_t id) const { return places_[id].what; }

 private:
  struct place {
    std::uint32_t stream, number;
    std::string what;
  };
  std::vector<place> places_ = std::vector<place>(1);   // operation 0: none
  std::vector<std::uint32_t> numbers_;
};

}  // namespace ptx_machine
