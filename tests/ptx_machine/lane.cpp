// What a thread asks of the machine, but for memory.
#include "lane.hpp"

#include "block.hpp"

namespace ptx_machine {

extent lane::thread_index() const {
  extent const b = block_.request().block;
  std::uint32_t const i = state_.index;
  return {i % b.x, i / b.x % b.y, i / b.x / b.y};
}
extent lane::block_index() const { return block_.index(); }
extent lane::block_shape() const { return block_.request().block; }
extent lane::grid_shape() const { return block_.request().grid; }
unsigned lane::lane_index() const { return state_.index % 32; }
unsigned lane::warp_index() const { return state_.index / 32; }
std::uint32_t lane::dynamic_shared_start() const { return shared_start + block_.request().static_shared_bytes; }
std::uint32_t lane::dynamic_shared_bytes() const { return block_.request().dynamic_shared_bytes; }
std::uint32_t lane::total_shared_bytes() const { return block_.shared_end(); }
std::uint64_t lane::clock() { return block_.launch.now(); }
std::uint64_t lane::grid_workspace() const { return block_.launch.workspace; }
std::uint32_t lane::active_mask() const { return 1u << lane_index(); }

void lane::barrier(unsigned id, unsigned threads, site at, bool aligned) {
  step();
  state_.predicate = false;
  block_.barrier_arrive(state_, id, threads, at, aligned, true);
}

void lane::barrier_arrive(unsigned id, unsigned threads, site at, bool aligned) {
  step();
  block_.barrier_arrive(state_, id, threads, at, aligned, false);
}

unsigned lane::barrier_reduce(unsigned id, unsigned threads, predicate_reduction how, bool value, site at, bool aligned) {
  step();
  state_.predicate = value;
  block_.barrier_arrive(state_, id, threads, at, aligned, true);
  return state_.reduced[static_cast<int>(how)];
}

void lane::grid_sync(site at) {
  step();
  block_.launch.grid_arrive(state_, at);
}

void lane::out_of_budget() {
  launch_state& launch = block_.launch;
  launch.counted.steps += state_.budget;
  budget_ = state_.budget = launch.next_budget();
  if (launch.counted.steps > launch.chosen.most_steps) {
    violate(violation_kind::watchdog, {}, {}, 0, [&] {
      return block_.request().kernel + " did not end within " + std::to_string(launch.chosen.most_steps) + " steps; " +
          block_.describe(state_) + " runs";
    });
    launch.stop();
  }
  block_.yield(state_);
}

void lane::yield() { block_.yield(state_); }
void lane::exit() { throw thread_ends{}; }

void lane::trap(std::string_view why, site at) {
  violate(violation_kind::trap, at, {}, 0, [&] {
    return std::string(why) + ", " + where(at) + " in " + block_.request().kernel + ", " + block_.describe(state_);
  });
  block_.launch.stop();
  throw thread_ends{};
}

void lane::print(std::string_view text) { detail::print(text); }

}  // namespace ptx_machine
