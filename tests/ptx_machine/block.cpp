// A block's threads: started, paused, finished; and what happens before what.
#include "block.hpp"

#include <exception>

namespace ptx_machine {

block_state::block_state(launch_state& l, std::uint32_t number) : launch(l), linear(number), first_thread(number * l.threads_per_block) {
  extent const grid = l.request.grid;
  index_ = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
  alive = l.threads_per_block;
  base.assign(alive, 0);
  shared_.assign(shared_bytes(), std::byte{0xff});
  shared_written_.assign(shared_bytes(), 0);
  shared_histories_ = std::make_unique<word_history[]>((shared_bytes() + 3) / 4);
  for (std::uint32_t i = 0; i < alive; ++i) {
    if (i % 32 == 0) warps.emplace_back();
    warps.back().alive |= 1u << i % 32;
    lane_state& t = lanes.emplace_back();
    t.block = this;
    t.index = i;
    t.thread = first_thread + i;
    t.stack = fiber_stacks::get().take();
    t.run.prepare(t.stack, &block_state::start, &t);
    l.make_ready(t);
  }
}

block_state::~block_state() {
  for (lane_state& l : lanes) fiber_stacks::get().give(l.stack);
}

void block_state::start(void* pointer) {
  lane_state& l = *static_cast<lane_state*>(pointer);
  block_state& block = *l.block;
  {
    lane me(block, l);
    me.budget_ = l.budget = block.launch.next_budget();
    try {
      block.request().body(me);
    } catch (thread_ends const&) {
    } catch (...) {
      block.launch.failure = std::current_exception();
      block.launch.stop();
    }
    block.launch.counted.steps += l.budget - me.budget_;
  }
  block.finish(l);
  l.run.leave_for_good();
}

void block_state::enter(lane_state& l) {
  l.started = true;
  l.run.enter();
}

void block_state::leave(lane_state& l) {
  if (launch.stopping) throw thread_ends{};
  l.run.leave();
  if (launch.stopping) throw thread_ends{};
}

void block_state::yield(lane_state& l) {
  launch.make_ready(l);
  leave(l);
}

void block_state::finish(lane_state& l) {
  l.status = thread_status::finished;
  --alive;
  ++launch.finished_threads;
  warp_state& warp = warp_of(l);
  warp.alive &= ~(1u << l.index % 32);
  if (!warp.alive) warp.groups.close();
  if (launch.stopping) return;
  for (unsigned id = 0; id < 16; ++id)
    if (barriers[id].arrived && !barriers[id].threads && alive) {
      site const at = barriers[id].first;
      violate(violation_kind::barrier_after_exit, at, {}, id, [&] {
        return "barrier at " + where(at) + " in " + request().kernel + " is waited for by other threads, but " + describe(l) +
            " has returned";
      });
      try_release_barrier(id, nullptr);
    }
  std::uint32_t const first = l.index / 32 * 32;
  for (unsigned i = 0; warp.at_collective && i < 32; ++i)
    if (warp.at_collective >> i & 1) try_release_collective(lanes[first + i], nullptr);
  launch.try_release_grid(nullptr);
}

thread_clock block_state::snapshot(lane_state const& l) const {
  auto times = std::make_shared<std::vector<std::uint32_t>>(base);
  std::uint32_t const first = l.index / 32 * 32;
  for (std::uint32_t i = first; i < first + 32 && i < times->size(); ++i)
    (*times)[i] = std::max((*times)[i], warps[l.index / 32].known[l.index % 32][i - first]);
  (*times)[l.index] = l.time + 1;
  thread_clock all = l.far;
  all.join(linear, std::move(times));
  return all;
}

std::string block_state::describe(lane_state const& l) const { return describe(l.thread); }

std::string block_state::describe(std::uint32_t thread) const {
  extent const b = request().block, g = request().grid;
  std::uint32_t const of_block = thread / launch.threads_per_block, t = thread % launch.threads_per_block;
  auto const triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return '(' + std::to_string(x) + ',' + std::to_string(y) + ',' + std::to_string(z) + ')';
  };
  return "thread " + triple(t % b.x, t / b.x % b.y, t / b.x / b.y) + " of block " +
         triple(of_block % g.x, of_block / g.x % g.y, of_block / g.x / g.y);
}

}  // namespace ptx_machine
