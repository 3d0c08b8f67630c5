// Streams captured into graphs, and graphs launched.
#include "device.hpp"

namespace ptx_machine::runtime {

outcome device::begin_capture(stream& s, bool strict) {
  if (&s == legacy_) return outcome::capture_unsupported;
  if (s.capturing) return outcome::capture_unsupported;
  s.capturing = std::make_shared<graph>();
  s.capturing->strict = strict;
  s.origin = true;
  s.frontier.clear();
  return outcome::done;
}

outcome device::end_capture(stream& s, std::shared_ptr<graph>& result) {
  if (!s.capturing) return outcome::capture_unmatched;
  if (!s.origin) return outcome::capture_wrong_stream;
  std::shared_ptr<graph> const captured = std::move(s.capturing);
  s.capturing.reset();
  s.origin = false;
  // Whatever forked off must have come back: its last nodes are before the origin's.
  std::set<std::size_t> joined = s.frontier;
  for (std::size_t n = captured->nodes.size(); n-- > 0;)
    if (joined.count(n)) joined.insert(captured->nodes[n].after.begin(), captured->nodes[n].after.end());
  bool unjoined = false;
  for (auto const& [other, owned] : streams_) {
    if (other->capturing != captured) continue;
    for (std::size_t n : other->frontier) unjoined = unjoined || !joined.count(n);
    other->capturing.reset();
  }
  if (captured->invalid) return outcome::capture_invalidated;
  if (unjoined) return outcome::capture_unjoined;
  result = captured;
  return outcome::done;
}

outcome device::launch(executable_graph& g, stream& s) {
  if (s.capturing) return outcome::capture_unsupported;   // child graphs: not made
  if (&s == legacy_)
    for (auto const& [other, owned] : streams_)
      if (other->blocking && other->capturing) {
        other->capturing->invalid = true;
        return outcome::capture_implicit;
      }
  stream_clock before = before_next(s);
  before.join(g.last);
  std::vector<stream_clock> after(g.nodes.size());
  std::vector<std::uint32_t> line(g.nodes.size());
  std::vector<bool> continued(g.nodes.size());   // a later node already follows it on its line
  std::size_t lines = 0;
  stream_clock all = before;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    stream_clock mine = before;
    std::uint32_t on = 0;
    for (std::size_t d : g.nodes[i].after) {
      mine.join(after[d]);
      if (!on && !continued[d]) {
        on = line[d];
        continued[d] = true;
      }
    }
    if (!on) {
      if (lines == g.lines.size()) g.lines.push_back(next_index_++);
      on = g.lines[lines++];
    }
    line[i] = on;
    push(on, std::move(mine), g.nodes[i].what, g.nodes[i].run, after[i]);
    all.join(after[i]);
  }
  g.last = all;
  push(s.index, all, "end of a graph's launch", [](operation const&) {}, s.last);
  return outcome::done;
}

}  // namespace ptx_machine::runtime
