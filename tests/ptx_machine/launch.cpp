// A launch from its first thread to its last.
#include "launch.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "block.hpp"

namespace ptx_machine {

launch_state::launch_state(launch_request const& r, operation const& o)
    : request(r), by(o), chosen(current_options()), random(chosen.seed ^ std::uint64_t(o.id) << 32),
      threads_per_block(static_cast<std::uint32_t>(r.block.count())) {}

lane_state* launch_state::take_ready() {
  if (head_ == ready_.size()) {
    ready_.clear();
    head_ = 0;
    return nullptr;
  }
  if (chosen.seed) {
    std::swap(ready_[random.below(static_cast<std::uint32_t>(ready_.size()))], ready_.back());
    lane_state* l = ready_.back();
    ready_.pop_back();
    return l;
  }
  lane_state* l = ready_[head_++];
  if (head_ > 4096) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  return l;
}

bool launch_state::run() {
  std::uint64_t const before = detail::violations_so_far();
  std::vector<std::uint32_t> order(request.grid.count());
  std::iota(order.begin(), order.end(), 0u);
  if (chosen.seed)
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  std::size_t const most = request.cooperative ? order.size() : std::max(1u, chosen.resident_blocks);
  std::size_t next = 0;
  allocation* grid_memory = nullptr;
  if (request.cooperative) {   // as the driver does: a word where blocks meet, zero at the start
    grid_memory = device_memory::get().allocate(64, memory_kind::device, "workspace of grid.sync()");
    std::fill_n(device_memory::get().bytes_at(grid_memory->start), 64, std::byte{});
    std::fill_n(device_memory::get().written_at(grid_memory->start), 64, std::uint8_t{1});
    workspace = grid_memory->start;
  }
  while (!stopping) {
    while (resident_.size() < most && next < order.size()) resident_.push_back(std::make_unique<block_state>(*this, order[next++]));
    if (resident_.empty()) break;
    lane_state* l = take_ready();
    if (!l) {
      report_deadlock();
      break;
    }
    block_state* block = l->block;
    block->enter(*l);
    if (block->finished())
      resident_.erase(std::find_if(resident_.begin(), resident_.end(), [&](auto const& b) { return b.get() == block; }));
  }
  unwind();
  if (grid_memory) device_memory::get().release(*grid_memory);
  if (failure) std::rethrow_exception(failure);
  std::uint64_t const found = detail::violations_so_far() - before;
  report_data& all = detail::mutable_report();
  all.total += counted;
  all.launches.push_back({request.kernel, std::move(counted), found});
  return found == 0;
}

void launch_state::report_deadlock() {
  std::map<std::string, std::pair<unsigned, std::string>> groups;   // where -> how many, one of them
  site first;
  for (auto const& b : resident_)
    for (lane_state const& l : b->lanes) {
      static constexpr char const* doing[] = {"run", "wait at barrier", "wait for lanes of their warp", "wait for the grid",
          "have returned"};
      std::string text = doing[static_cast<int>(l.status)];
      if (l.status == thread_status::at_barrier) text += ' ' + std::to_string(l.barrier_id);
      if (l.status != thread_status::finished) {
        text += ", " + where(l.at);
        first = l.at;
      }
      auto& [count, who] = groups[text];
      if (!count++) who = b->describe(l);
    }
  violate(violation_kind::deadlock, first, {}, 0, [&] {
    std::string text = "no thread of " + request.kernel + " can go on:";
    for (auto const& [what, group] : groups) text += "\n  " + std::to_string(group.first) + " threads " + what + " (" + group.second +
        " is one)";
    return text;
  });
}

void launch_state::unwind() {
  stopping = true;
  for (auto const& b : resident_)
    for (lane_state& l : b->lanes)
      if (l.started && l.status != thread_status::finished) b->enter(l);
  resident_.clear();
  ready_.clear();
}

bool run_launch(launch_request const& r, operation const& by) {
  if (!r.block.count() || r.block.count() > 1024) throw std::invalid_argument(r.kernel + ": a block has 1 to 1024 threads");
  return launch_state(r, by).run();
}

bool run_launch(launch_request const& r) {
  static std::uint32_t earlier = 0;
  stream_clock before;
  before.raise(0, earlier);
  operation const by = operation_table::get().add(0, before, "launch of " + r.kernel);
  earlier = by.number;
  return run_launch(r, by);
}

}  // namespace ptx_machine
