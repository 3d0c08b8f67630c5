// The device's queue: streams, events and captured graphs, in the order CUDA promises and in no other.
//
// Nothing runs when it is asked for. Operations wait until the host waits for something, and then run in an order drawn from the seed among
// those that streams, events and the host's own waiting allow. So an order that nobody asked for shows in values, and in the clocks that
// memory remembers. One operation runs at a time: kernels of different streams do not interleave, but none of their accesses is ordered.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../operation.hpp"
#include "../options.hpp"

namespace ptx_machine::runtime {

using action = std::function<void(operation const&)>;

/// What goes wrong in a call; the entry points make CUDA's errors of it.
enum class outcome {
  done, capture_unsupported, capture_invalidated, capture_implicit, capture_unjoined, capture_unmatched, capture_wrong_stream, not_ready
};

struct graph_node {
  std::string what;
  action run;
  std::set<std::size_t> after;   // nodes before this one in the graph's list
};
struct graph {
  std::vector<graph_node> nodes;
  bool invalid = false;
  bool strict = true;   // calls that would wait are refused while it is captured (every mode but relaxed)
};
struct executable_graph {
  std::vector<graph_node> nodes;
  stream_clock last;                      // launches of one graph follow one another
  std::vector<std::uint32_t> lines;       // streams of its own, for what may run side by side
};

struct stream {
  std::uint32_t index = 0;
  bool blocking = true;   // ordered with the legacy default stream
  stream_clock last;      // what an operation that comes next is after
  std::shared_ptr<graph> capturing;
  bool origin = false;    // capture began here
  std::set<std::size_t> frontier;
};

struct event {
  bool recorded = false, timing = true;
  stream_clock clock;
  std::shared_ptr<double> time = std::make_shared<double>(0);   // logical, of the last record, once it has run
  std::shared_ptr<graph> captured;
  std::set<std::size_t> frontier;
};

class device {
 public:
  static device& get();

  stream& legacy() { return *legacy_; }
  stream* create_stream(bool blocking);
  void destroy(stream*);                      // what waits in it still runs
  bool exists(stream const* s) const { return s == legacy_ || streams_.count(const_cast<stream*>(s)); }

  outcome enqueue(stream&, std::string what, action);
  outcome record(event&, stream&);
  outcome wait(stream&, event const&);
  outcome synchronize(stream&);
  outcome synchronize(event const&);
  outcome synchronize();
  outcome query(stream&);        // also lets one operation run: a host that polls gets on
  outcome query(event const&);
  void run_everything();         // at the end, and for reports: the host learns nothing

  outcome begin_capture(stream&, bool strict);
  outcome end_capture(stream&, std::shared_ptr<graph>&);
  outcome may_wait();            // is a call that waits, or that may, allowed now?
  outcome launch(executable_graph&, stream&);

  /// For operations that the host itself does, at once: after all it has waited for.
  operation by_host(std::string what);
  /// After everything: what cudaFree and cudaDeviceSynchronize wait for.
  stream_clock everything() const;

  bool failed = false;   // a launch broke a rule: what is queued is dropped, as on a device that faulted

 private:
  struct queued {
    operation op;
    action run;
  };
  device();
  stream_clock before_next(stream const&) const;
  void push(std::uint32_t line, stream_clock before, std::string what, action run, stream_clock& last);
  bool done(stream_clock const&) const;
  bool run_one(stream_clock const* wanted);
  void run_until(stream_clock const&);

  stream* legacy_ = nullptr;
  std::map<stream*, std::unique_ptr<stream>> streams_;
  std::uint32_t next_index_ = 1;                       // 0 is the host
  std::map<std::uint32_t, std::deque<queued>> waiting_;   // by index of the stream
  stream_clock completed_, host_;
  stream_clock retired_;   // blocking streams that were destroyed: the legacy stream is after them too
  random_source random_;
  std::uint64_t seed_;
};

}  // namespace ptx_machine::runtime
