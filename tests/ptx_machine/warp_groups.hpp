// Threads' accesses put together into warp instructions: 32-byte sectors of global memory, wavefronts of shared memory.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "report.hpp"

namespace ptx_machine {

/// Of one warp. The n-th execution of an instruction by each lane, counted since the warp last met as a whole, is one instruction of the
/// warp, as it is where a loop's trips differ from lane to lane.
class warp_groups {
 public:
  void add_global(site, unsigned lane, std::uint64_t address, unsigned bytes, bool writes, traffic&);
  void add_shared(site, unsigned lane, std::uint32_t address, unsigned bytes, shared_traffic&);
  void close();   // all lanes have met, or the block is over

 private:
  struct group {
    std::uint32_t lanes = 0;   // that took part
    unsigned bytes = 0;
    bool writes = false;
    traffic* buffer = nullptr;          // global, or
    shared_traffic* shared = nullptr;   // shared
    std::uint64_t addresses[32];
  };
  struct instruction {
    std::uint32_t runs[32] = {};
    std::uint32_t closed = 0;   // groups before this one are counted
    std::vector<std::unique_ptr<group>> open;
  };
  group& next(site, unsigned lane);
  void finish(group&);
  void retire(instruction&);

  std::vector<std::unique_ptr<instruction>> instructions_;   // by site
  std::vector<std::uint32_t> active_;
  std::vector<std::unique_ptr<group>> spare_;
};

/// Passes over the banks of one warp instruction: 4 bytes or fewer a lane go together, 8 in half warps, 16 in quarter warps; in a pass each
/// of the 32 banks gives one word of 4 bytes, to any number of lanes. `ideal` counts the words over 32 banks.
struct bank_passes {
  std::uint32_t needed = 0, ideal = 0;
};
bank_passes count_bank_passes(std::uint32_t lanes, std::uint64_t const* addresses, unsigned bytes);

/// Different 32-byte sectors of one warp instruction.
std::uint32_t count_sectors(std::uint32_t lanes, std::uint64_t const* addresses);

}  // namespace ptx_machine
