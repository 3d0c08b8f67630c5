// Barriers of a block: who meets whom, what it orders, and what must not happen at one.
#include "block.hpp"

namespace ptx_machine {

void block_state::barrier_arrive(lane_state& l, unsigned id, unsigned threads, site at, bool aligned, bool waits) {
  if (id > 15 || threads % 32 || threads > 1024) {
    violate(violation_kind::bad_call, at, {}, id, [&] {
      return "barrier " + std::to_string(id) + " for " + std::to_string(threads) + " threads at " + where(at) +
             ": there are barriers 0 to 15, for a multiple of 32 threads";
    });
    launch.stop();
    throw thread_ends{};
  }
  barrier_state& b = barriers[id];
  if (!threads && alive < lanes.size())
    violate(violation_kind::barrier_after_exit, at, {}, id, [&] {
      return "barrier at " + where(at) + " in " + request().kernel + ", reached by " + describe(l) + " after " +
             std::to_string(lanes.size() - alive) + " threads of the block have returned";
    });
  if (!b.arrived) {
    b.first = at;
    b.threads = threads;
  } else if (b.threads != threads) {
    violate(violation_kind::divergent_barrier, b.first, at, id, [&] {
      return "barrier " + std::to_string(id) + " is for " + std::to_string(b.threads) + " threads at " + where(b.first) + " and for " +
             std::to_string(threads) + " at " + where(at) + " (0: all), " + describe(l);
    });
  } else if (unsigned const w = l.index / 32; aligned && (threads ? b.warps >> w & 1 && b.of_warp[w] != at : b.first != at)) {
    site const other = threads ? b.of_warp[w] : b.first;
    violate(violation_kind::divergent_barrier, other, at, id, [&] {
      return "one barrier, two places: threads wait at " + where(other) + ", " + describe(l) + " at " + where(at) + " in " +
          request().kernel;
    });
  }
  b.warps |= 1u << l.index / 32;
  b.of_warp[l.index / 32] = at;
  ++b.arrived;
  l.at = at;
  if (waits) {
    l.status = thread_status::at_barrier;
    l.barrier_id = id;
    b.waiting.push_back(&l);
    if (!try_release_barrier(id, &l)) leave(l);
  } else {
    b.released.join(snapshot(l));
    ++l.time;
    try_release_barrier(id, nullptr);
  }
}

bool block_state::try_release_barrier(unsigned id, lane_state* running) {
  barrier_state& b = barriers[id];
  if (b.arrived < (b.threads ? b.threads : alive)) return false;
  ++launch.counted.block_barriers;
  unsigned count = 0;
  for (lane_state const* l : b.waiting) count += l->predicate;
  bool const whole = b.waiting.size() == lanes.size();
  thread_clock far = std::move(b.released);
  for (lane_state* l : b.waiting) whole ? far.join(l->far) : far.join(snapshot(*l));
  for (lane_state* l : b.waiting) {
    ++l->time;
    if (whole) base[l->index] = l->time;
    if (!far.empty()) l->far = far;
    l->reduced[static_cast<int>(predicate_reduction::count)] = count;
    l->reduced[static_cast<int>(predicate_reduction::all)] = count == b.waiting.size();
    l->reduced[static_cast<int>(predicate_reduction::any)] = count != 0;
    l->status = thread_status::running;
    if (l != running) launch.make_ready(*l);
  }
  if (whole && launch.chosen.sectors)
    for (warp_state& w : warps) w.groups.close();
  b = {};
  return true;
}

void launch_state::grid_arrive(lane_state& l, site at) {
  if (!request.cooperative) {
    violate(violation_kind::bad_call, at, {}, 0, [&] {
      return "grid.sync() at " + where(at) + " in " + request.kernel + ", which was not launched as cooperative";
    });
    stop();
    throw thread_ends{};
  }
  if (waiting_at_grid && grid_site != at)
    violate(violation_kind::divergent_barrier, grid_site, at, 16, [&] {
      return "one grid.sync(), two places: " + where(grid_site) + " and, " + l.block->describe(l) + ", " + where(at);
    });
  grid_site = at;
  l.at = at;
  l.status = thread_status::at_grid;
  ++waiting_at_grid;
  if (!try_release_grid(&l)) l.block->leave(l);
}

bool launch_state::try_release_grid(lane_state* running) {
  if (!waiting_at_grid) return false;
  if (finished_threads)
    violate(violation_kind::barrier_after_exit, grid_site, {}, 16, [&] {
      return "grid.sync() at " + where(grid_site) + " in " + request.kernel + ": " + std::to_string(finished_threads) +
          " threads of the grid have returned";
    });
  std::uint64_t const all = request.grid.count() * threads_per_block;
  if (waiting_at_grid + finished_threads < all) return false;
  waiting_at_grid = 0;
  grid_times.resize(all);
  thread_clock far;
  for (auto& b : resident_)
    for (lane_state& l : b->lanes) far.join(l.far);
  for (auto& b : resident_)
    for (lane_state& l : b->lanes) {
      if (l.status != thread_status::at_grid) continue;
      b->base[l.index] = grid_times[l.thread] = ++l.time;
      if (!far.empty()) l.far = far;
      l.status = thread_status::running;
      if (&l != running) make_ready(l);
    }
  return true;
}

}  // namespace ptx_machine
