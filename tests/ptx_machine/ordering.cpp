// Order through memory: fences, acquire and release.
#include "block.hpp"

namespace ptx_machine {

void block_state::strong_read(lane_state& l, std::uint64_t address, order how) {
  auto const found = launch.released.find(address);
  if (found == launch.released.end()) return;
  bool const acquires = how == order::acquire || how == order::acquire_release;
  (acquires ? l.far : l.unfenced).join(found->second);
}

void block_state::strong_write(lane_state& l, std::uint64_t address, order how, bool also_reads) {
  bool const releases = how == order::release || how == order::acquire_release;
  if (!releases && l.fenced.empty()) {
    if (!also_reads) launch.released.erase(address);   // it hides what was released here; a read-modify-write passes it on
    return;
  }
  thread_clock& there = launch.released[address];
  if (!also_reads) there.clear();
  there.join(l.fenced);
  if (releases) {
    there.join(snapshot(l));
    ++l.time;
  }
}

void lane::fence(scope, site) {
  state_.far.join(state_.unfenced);
  state_.unfenced.clear();
  state_.fenced = block_.snapshot(state_);
  ++state_.time;
}

}  // namespace ptx_machine
