// What a test may choose about the machine.
#pragma once
#include <cstdint>

namespace ptx_machine {

struct options {
  std::uint64_t seed = 1;             ///< of every schedule; 0 runs threads, blocks and streams in their order
  std::uint32_t preempt = 0;          ///< change the running thread on average every so many steps; 0: only where threads meet
  std::uint32_t resident_blocks = 1;  ///< blocks that run at the same time, unless the launch is cooperative
  bool races = true;
  bool sectors = false;               ///< group accesses into warp instructions: 32-byte sectors and bank conflicts; four times slower
  std::uint64_t most_steps = 2'000'000'000;   ///< of one launch: what the watchdog allows
  ///< accesses out of bounds, freed or misaligned that one launch survives, to tell of several
  std::uint32_t most_faults = 100;
};

/// The options of the launches to come. They begin as the environment says: DYADIC_PTX_SEED, DYADIC_PTX_PREEMPT,
/// DYADIC_PTX_RESIDENT, DYADIC_PTX_RACES, DYADIC_PTX_SECTORS, DYADIC_PTX_MOST_STEPS (numbers; 0 and 1 for the switches).
options& current_options();

/// A small generator, the same everywhere: schedules repeat from their seed.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x5851F42D4C957F2Du) {}
  std::uint32_t below(std::uint32_t bound) {   // bound >= 1
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ >> 32) * bound >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ptx_machine
