// Streams and events: what is before what, and which of the operations that may run does.
#include "device.hpp"

#include "../report.hpp"

namespace ptx_machine::runtime {

device& device::get() {
  static auto* d = [] {
    auto* made = new device;
    detail::on_report([] { device::get().run_everything(); });
    detail::on_reset([] { device::get().failed = false; });
    return made;
  }();
  return *d;
}

device::device() : random_(current_options().seed), seed_(current_options().seed) { legacy_ = create_stream(true); }

stream* device::create_stream(bool blocking) {
  auto made = std::make_unique<stream>();
  made->index = next_index_++;
  made->blocking = blocking;
  stream* s = made.get();
  streams_[s] = std::move(made);
  return s;
}

void device::destroy(stream* s) {
  if (s->blocking) retired_.join(s->last);
  streams_.erase(s);
}

stream_clock device::before_next(stream const& s) const {
  stream_clock before = s.last;
  before.join(host_);
  if (&s == legacy_) {
    before.join(retired_);
    for (auto const& [other, owned] : streams_)
      if (other->blocking) before.join(other->last);
  } else if (s.blocking) {
    before.join(legacy_->last);
  }
  return before;
}

void device::push(std::uint32_t line, stream_clock before, std::string what, action run, stream_clock& last) {
  operation op = operation_table::get().add(line, std::move(before), std::move(what));
  last = op.before;
  waiting_[line].push_back({std::move(op), std::move(run)});
}

outcome device::enqueue(stream& s, std::string what, action run) {
  if (s.capturing) {
    if (s.capturing->invalid) return outcome::capture_invalidated;
    s.capturing->nodes.push_back({std::move(what), std::move(run), s.frontier});
    s.frontier = {s.capturing->nodes.size() - 1};
    return outcome::done;
  }
  if (&s == legacy_)
    for (auto const& [other, owned] : streams_)
      if (other->blocking && other->capturing) {
        other->capturing->invalid = true;
        return outcome::capture_implicit;
      }
  push(s.index, before_next(s), std::move(what), std::move(run), s.last);
  return outcome::done;
}

outcome device::record(event& e, stream& s) {
  if (s.capturing) {
    if (s.capturing->invalid) return outcome::capture_invalidated;
    e.captured = s.capturing;
    e.frontier = s.frontier;
    e.recorded = true;
    return outcome::done;
  }
  e.captured.reset();
  e.time = std::make_shared<double>(0);
  outcome const o = enqueue(s, "record of an event", [time = e.time](operation const&) {
    *time = static_cast<double>(detail::mutable_report().total.steps) * 1e-6;
  });
  if (o != outcome::done) return o;
  e.recorded = true;
  e.clock = s.last;
  return o;
}

outcome device::wait(stream& s, event const& e) {
  if (e.captured) {
    if (e.captured->invalid) return outcome::capture_invalidated;
    if (s.capturing && s.capturing != e.captured) return outcome::capture_unsupported;
    if (!s.capturing) s.frontier.clear();
    s.capturing = e.captured;   // a fork: the stream is captured from here on
    s.frontier.insert(e.frontier.begin(), e.frontier.end());
    return outcome::done;
  }
  if (!e.recorded) return outcome::done;
  if (s.capturing) {   // on work outside of the graph
    s.capturing->invalid = true;
    return outcome::capture_unsupported;
  }
  s.last.join(e.clock);
  return outcome::done;
}

bool device::done(stream_clock const& c) const {
  for (std::uint32_t i = 1; i < c.streams(); ++i)
    if (completed_[i] < c[i]) return false;
  return true;
}

bool device::run_one(stream_clock const* wanted) {
  if (seed_ != current_options().seed) random_ = random_source(seed_ = current_options().seed);
  std::vector<std::uint32_t> ready;
  for (auto const& [line, queue] : waiting_) {
    if (queue.empty()) continue;
    operation const& op = queue.front().op;
    stream_clock const& before = op.before;
    bool may = true;
    for (std::uint32_t i = 1; i < before.streams(); ++i) may = may && completed_[i] + (i == line) >= before[i];
    if (may) ready.push_back(line);
  }
  if (ready.empty()) return false;
  std::uint32_t chosen = ready[0];
  if (seed_) chosen = ready[random_.below(static_cast<std::uint32_t>(ready.size()))];
  else
    for (std::uint32_t line : ready)
      if (waiting_[line].front().op.id < waiting_[chosen].front().op.id) chosen = line;
  if (wanted && seed_ && random_.below(2)) {   // half of the time only what is waited for: the rest stays away as long as it may
    for (std::uint32_t line : ready)
      if (waiting_[line].front().op.number <= (*wanted)[line]) chosen = line;
  }
  queued next = std::move(waiting_[chosen].front());
  waiting_[chosen].pop_front();
  completed_.raise(chosen, next.op.number);
  if (!failed) next.run(next.op);
  return true;
}

void device::run_until(stream_clock const& c) {
  while (!done(c) && run_one(&c)) {}
}

outcome device::may_wait() {
  for (auto const& [s, owned] : streams_)
    if (s->capturing && s->capturing->strict) {
      s->capturing->invalid = true;
      return outcome::capture_unsupported;
    }
  return outcome::done;
}

outcome device::synchronize(stream& s) {
  if (s.capturing) {
    s.capturing->invalid = true;
    return outcome::capture_unsupported;
  }
  stream_clock target = s.last;
  if (&s == legacy_) target.join(retired_);
  if (&s == legacy_)   // it ends only after what blocking streams began before
    for (auto const& [other, owned] : streams_)
      if (other->blocking) target.join(other->last);
  run_until(target);
  host_.join(target);
  return outcome::done;
}

outcome device::synchronize(event const& e) {
  if (e.captured) return outcome::capture_unsupported;
  run_until(e.clock);
  host_.join(e.clock);
  return outcome::done;
}

stream_clock device::everything() const {
  stream_clock all = host_;
  all.join(retired_);
  for (auto const& [s, owned] : streams_) all.join(s->last);
  for (auto const& [line, queue] : waiting_)
    if (!queue.empty()) all.raise(line, queue.back().op.number);   // of streams destroyed
  return all;
}

outcome device::synchronize() {
  if (outcome const o = may_wait(); o != outcome::done) return o;
  stream_clock const all = everything();
  run_until(all);
  host_.join(all);
  return outcome::done;
}

outcome device::query(stream& s) {
  if (s.capturing) {
    s.capturing->invalid = true;
    return outcome::capture_unsupported;
  }
  if (!done(s.last)) run_one(nullptr);
  if (!done(s.last)) return outcome::not_ready;
  host_.join(s.last);
  return outcome::done;
}

outcome device::query(event const& e) {
  if (e.captured) return outcome::capture_unsupported;
  if (!done(e.clock)) run_one(nullptr);
  if (!done(e.clock)) return outcome::not_ready;
  host_.join(e.clock);
  return outcome::done;
}

void device::run_everything() {
  while (run_one(nullptr)) {}
}

operation device::by_host(std::string what) {
  operation op = operation_table::get().add(0, host_, std::move(what));
  host_ = op.before;
  return op;
}

}  // namespace ptx_machine::runtime
