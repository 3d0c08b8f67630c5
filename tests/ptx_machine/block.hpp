// A block that runs: its threads and what they share.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "access.hpp"
#include "device_memory.hpp"
#include "fiber.hpp"
#include "launch.hpp"
#include "warp_groups.hpp"

namespace ptx_machine {

enum class thread_status : std::uint8_t { running, at_barrier, at_collective, at_grid, finished };

struct pending_copy {
  std::uint32_t to;
  std::uint64_t from;
  unsigned bytes, source_bytes;
  std::uint32_t group;
  site at;
};

struct lane_state {
  fiber run;
  block_state* block = nullptr;
  std::byte* stack = nullptr;
  std::uint32_t index = 0;     // in the block
  std::uint32_t thread = 0;    // in the launch
  std::uint32_t time = 1;      // grows where others may learn of this thread's accesses
  thread_status status = thread_status::running;
  bool started = false;
  site at;                     // where it waits
  std::uint32_t budget = 0;    // steps it was given last

  // At a barrier.
  unsigned barrier_id = 0;
  bool predicate = false;
  unsigned reduced[3] = {};
  // At a collective.
  std::uint32_t mask = 0;
  void* mine = nullptr;
  join_function join = nullptr;
  collective_rules rules;

  // Order beyond barriers of the block and the warp.
  thread_clock far;         // what it knows
  thread_clock unfenced;    // what relaxed reads saw and a fence would acquire
  thread_clock fenced;      // what it knew at its last fence: a relaxed write releases it
  bool has_fenced = false;

  std::vector<pending_copy> copies;
  std::uint32_t copy_group = 0;   // committed so far
  std::vector<std::byte> local;
  std::vector<std::uint8_t> local_written;
  std::vector<std::size_t> local_frames;
  alignas(16) std::byte scratch[16];   // of an atomic that is not allowed
  std::uint32_t atomics = 0;
};

struct warp_state {
  std::uint32_t known[32][32] = {};   // known[i][j]: lane i knows of lane j's accesses before that time
  std::uint32_t alive = 0, at_collective = 0;   // lanes
  warp_groups groups;
};

struct barrier_state {
  std::vector<lane_state*> waiting;
  unsigned arrived = 0;      // those waiting and those that only arrived
  unsigned threads = 0;      // it was called for; 0: the block
  thread_clock released;     // what arrivals without waiting brought
  site first;
  std::uint32_t warps = 0;   // of which a lane waits here, at
  site of_warp[32];
};

class block_state {
 public:
  block_state(launch_state&, std::uint32_t linear);
  ~block_state();
  bool finished() const { return alive == 0; }
  extent index() const { return index_; }
  std::uint32_t shared_end() const { return shared_start + request().static_shared_bytes + request().dynamic_shared_bytes; }
  launch_request const& request() const { return launch.request; }

  // Scheduling.
  void enter(lane_state&);
  void leave(lane_state&);      // until made ready again; throws thread_ends when the launch stops
  void yield(lane_state&);
  void finish(lane_state&);     // it returned

  // Order.
  bool ordered(access const& earlier, lane_state const& now) const {   // did it happen before what `now` does next?
    if (earlier.operation != launch.by.id) return operation_table::get().ordered(earlier.operation, launch.by);
    std::uint32_t const i = earlier.thread - first_thread;
    if (i < base.size()) {
      if (earlier.time < base[i]) return true;
      if (i / 32 == now.index / 32 && earlier.time < warps[i / 32].known[now.index % 32][i % 32]) return true;
    } else if (!launch.grid_times.empty() && earlier.time < launch.grid_times[earlier.thread]) {
      return true;
    }
    std::uint32_t const per_block = launch.threads_per_block;
    return !now.far.empty() && now.far.knows(earlier.thread / per_block, earlier.thread % per_block, earlier.time);
  }
  thread_clock snapshot(lane_state const&) const;   // all it knows, itself included
  void strong_read(lane_state&, std::uint64_t address, order);
  void strong_write(lane_state&, std::uint64_t address, order, bool also_reads);

  // Barriers.
  void barrier_arrive(lane_state&, unsigned id, unsigned threads, site, bool aligned, bool waits);
  bool try_release_barrier(unsigned id, lane_state* running);
  bool try_release_collective(lane_state&, lane_state* running);

  // Memory.
  std::byte* reach_global(lane_state&, std::uint64_t address, unsigned bytes, site, bool reads, bool writes, bool strong);
  std::byte* reach_shared(lane_state&, std::uint64_t address, unsigned bytes, site, bool reads, bool writes, bool strong);
  std::byte* reach_local(lane_state&, std::uint64_t address, unsigned bytes, site, bool reads, bool writes);
  void remember_global(lane_state&, std::uint64_t address, unsigned bytes, site, bool writes, bool strong);
  void remember_shared(lane_state&, std::uint32_t address, unsigned bytes, site, bool writes, bool strong);
  void begin_copy(lane_state&, pending_copy const&);
  bool reach_source(lane_state&, pending_copy const&);
  void finish_copies(lane_state&, std::uint32_t before_group);

  warp_state& warp_of(lane_state const& l) { return warps[l.index / 32]; }
  std::string describe(lane_state const&) const;   // "thread (1,0,0) of block (0,0,0)"
  std::string describe(std::uint32_t thread_of_launch) const;

  launch_state& launch;
  device_memory& memory = device_memory::get();
  std::uint32_t linear;
  std::uint32_t first_thread;
  std::uint32_t alive = 0;
  std::uint32_t pending = 0;               // cp.async not arrived
  std::vector<std::uint32_t> base;         // of each thread: the time before which the whole block knows it
  std::deque<lane_state> lanes;
  std::deque<warp_state> warps;
  barrier_state barriers[16];

 private:
  std::uint32_t shared_bytes() const { return shared_end() - shared_start; }
  void race(access const& earlier, lane_state const&, site, bool writes, std::string const& place, std::uint64_t which) const;
  static void start(void* lane_state_pointer);
  extent index_;
  std::vector<std::byte> shared_;
  std::vector<std::uint8_t> shared_written_;   // 0 never, 1 written, 4 a cp.async is on its way
  std::unique_ptr<word_history[]> shared_histories_;
};

}  // namespace ptx_machine
