// Fibers: one stack per CUDA thread, switched by hand on one thread of the host.
#pragma once
#include <cstddef>
#include <vector>

namespace ptx_machine {

class fiber {
 public:
  using entry_function = void (*)(void* argument);   // must not return, nor let an exception out: it ends by leaving for the last time

  /// Prepares to run `entry` on `stack` at the first enter().
  void prepare(std::byte* stack, entry_function entry, void* argument);
  void enter();        ///< runs it from the scheduler until it leaves
  void leave();        ///< back to the scheduler, from inside
  void leave_for_good();

 private:
  friend void fiber_begin(fiber*);
  void* stack_pointer_ = nullptr;
  void* scheduler_ = nullptr;
  entry_function entry_ = nullptr;
  void* argument_ = nullptr;
  std::byte* stack_ = nullptr;
  // What AddressSanitizer must be told of at each change of stacks.
  [[maybe_unused]] void* fake_ = nullptr;
  [[maybe_unused]] void* scheduler_fake_ = nullptr;
  [[maybe_unused]] void const* scheduler_stack_ = nullptr;
  [[maybe_unused]] std::size_t scheduler_stack_bytes_ = 0;
};

/// Stacks with a guard page below, kept for the next launch.
class fiber_stacks {
 public:
  static constexpr std::size_t bytes = 256 << 10;
  std::byte* take();
  void give(std::byte* stack) { free_.push_back(stack); }
  static fiber_stacks& get();

 private:
  std::vector<std::byte*> free_;
};

}  // namespace ptx_machine
