// What the machine found: violations of CUDA's rules, and what the launches moved.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "site.hpp"

namespace ptx_machine {

enum class violation_kind : std::uint8_t {
  race,               // two accesses, one a write, that nothing orders
  stream_race,        // the same between operations of different streams, or an operation and the host
  out_of_bounds,
  use_after_free,
  read_of_unwritten,
  misaligned,
  not_writable,       // a store to constant memory
  pending_copy,       // bytes of a cp.async touched before its wait
  divergent_barrier,
  barrier_after_exit,
  divergent_collective,
  outside_mask,
  deadlock,
  trap,
  watchdog,
  bad_call,           // what only a wrong program asks of the machine: a copy beyond an allocation, a double free
};
char const* name_of(violation_kind);

struct violation {
  violation_kind kind;
  std::string message;   ///< of the first time: places, threads, buffer
  site first, second;    ///< `second` is site 0 where only one place is to blame
  std::uint64_t count;   ///< how often the same two places met so
};

/// Traffic of one buffer. Bytes and requests are counted per thread; sectors per warp instruction, with options::sectors only.
struct traffic {
  std::uint64_t read_bytes = 0, written_bytes = 0;   // an atomic reads and writes
  std::uint64_t reads = 0, writes = 0, atomics = 0;
  std::uint64_t read_sectors = 0, written_sectors = 0;   // of 32 bytes; an atomic's count as written
  traffic& operator+=(traffic const&);
};

/// Shared memory's wavefronts: the passes a warp instruction needs over the 32 banks, and what it would need without conflicts.
struct shared_traffic : traffic {
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;
  shared_traffic& operator+=(shared_traffic const&);
};

struct counters {
  std::map<std::string, traffic> buffers;
  shared_traffic shared;
  traffic local;
  std::uint64_t block_barriers = 0;   // completed ones
  std::uint64_t steps = 0;
  std::uint64_t copied_bytes = 0;     // by memory copies and fills of the host's calls
  counters& operator+=(counters const&);
};

struct launch_record {
  std::string kernel;
  counters counted;
  std::uint64_t violations = 0;
};

struct report_data {
  std::vector<violation> violations;
  std::vector<launch_record> launches;
  counters total;
  std::string printed;   ///< by the kernels' printf, since the last reset
  bool ok() const { return violations.empty(); }
  violation const* find(violation_kind) const;   ///< the first of its kind, null if there is none
};

/// Runs what is queued and tells what was found since the last reset. Violations told are read: they no longer fail the program.
report_data const& report();

/// Forgets violations, counters and the sticky error. Allocations stay.
void reset();

std::string to_string(report_data const&);

// For the machine's own parts.
namespace detail {
std::uint64_t count_violation(violation_kind, site, site, std::uint64_t detail);
void add_message(std::string);   // of the violation just counted for the first time
std::uint64_t violations_so_far();
report_data& mutable_report();
void print(std::string_view);           // a kernel's printf: to stdout, and kept
void on_report(void (*drain)());        // the runtime empties its queues first
void on_reset(void (*clear)());
}  // namespace detail

/// Reports one. `which` tells apart what the places do not; `message` is asked for once for all of the same.
template <class Message>
void violate(violation_kind kind, site first, site second, std::uint64_t which, Message&& message) {
  if (detail::count_violation(kind, first, second, which) == 1) detail::add_message(message());
}

}  // namespace ptx_machine
