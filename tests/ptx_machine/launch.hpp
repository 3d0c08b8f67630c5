// One launch: a grid of threads run on fibers to their end, or to the first thing that makes going on meaningless.
#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lane.hpp"
#include "operation.hpp"
#include "options.hpp"
#include "report.hpp"
#include "thread_clock.hpp"

namespace ptx_machine {

struct launch_request {
  std::string kernel;                       ///< its name, for reports
  extent grid, block;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;                 ///< all blocks at once: grid.sync() is allowed
  std::span<std::byte const> parameters;    ///< what space::param reads
  std::function<void(lane&)> body;
};

/// Runs it as the operation `by`. True when it broke no rule.
bool run_launch(launch_request const&, operation const& by);

/// The same for tests of the machine: as a launch by a host that waits for everything before and after.
bool run_launch(launch_request const&);

/// Left by exception from a thread's body, by exit() and when the launch stops.
struct thread_ends {};

class block_state;

class launch_state {
 public:
  launch_state(launch_request const& r, operation const& o);
  bool run();

  void make_ready(lane_state& l) { ready_.push_back(&l); }
  void stop() { stopping = true; }   // every thread leaves its body where it stands
  void fault() {   // an access that a device would not survive
    if (++faults_ < chosen.most_faults) return;
    stop();
    throw thread_ends{};
  }

  launch_request const& request;
  operation const& by;
  options const chosen;
  random_source random;
  counters counted;
  std::uint32_t threads_per_block;
  bool stopping = false;
  std::vector<std::uint32_t> grid_times;   // of every thread: before which all threads of the grid know it
  std::unordered_map<std::uint64_t, thread_clock> released;   // by address: what an acquire there learns
  std::uint32_t waiting_at_grid = 0, finished_threads = 0;
  site grid_site;
  std::uint64_t workspace = 0;

  std::exception_ptr failure;   // of a body: what the machine cannot do

  void grid_arrive(lane_state&, site);
  bool try_release_grid(lane_state* running);
  /// Steps until the running thread gives way: random ones under pre-emption, else so many that only a loop gets there.
  std::uint32_t next_budget() { return chosen.preempt ? 1 + random.below(2 * chosen.preempt - 1) : 65536; }
  [[nodiscard]] std::uint64_t now() { return ++clock_; }

 private:
  lane_state* take_ready();
  void report_deadlock();
  void unwind();   // threads that stand somewhere leave their bodies

  std::vector<lane_state*> ready_;
  std::size_t head_ = 0;
  std::vector<std::unique_ptr<block_state>> resident_;
  std::uint64_t clock_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace ptx_machine
