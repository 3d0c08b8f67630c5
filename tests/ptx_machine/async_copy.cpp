// cp.async: bytes that arrive at any time between the copy and its wait, and that nobody may touch meanwhile.
#include <algorithm>
#include <cstring>

#include "block.hpp"

namespace ptx_machine {

void block_state::begin_copy(lane_state& l, pending_copy const& c) {
  // Both ends are checked here and the bytes move at the wait. The accesses count for the whole time between, so they are remembered twice.
  if (!reach_shared(l, c.to, c.bytes, c.at, false, true, false)) return;
  if (c.source_bytes && !reach_source(l, c)) return;
  std::memset(&shared_written_[c.to - shared_start], 4, c.bytes);
  std::memset(&shared_[c.to - shared_start], 0xff, c.bytes);
  l.copies.push_back(c);
  ++pending;
}

bool block_state::reach_source(lane_state& l, pending_copy const& c) {
  if (c.from % c.bytes) {
    violate(violation_kind::misaligned, c.at, {}, 3, [&] {
      return "cp.async of " + std::to_string(c.bytes) + " bytes from " + describe_address(c.from) + ", " + where(c.at) + ", " + describe(l);
    });
    return false;
  }
  for (unsigned done = 0; done < c.source_bytes;) {   // a source of 12 bytes, say, is read as 8 and 4
    unsigned part = 16;
    while (part > c.source_bytes - done) part /= 2;
    if (!reach_global(l, c.from + done, part, c.at, true, false, false)) return false;
    done += part;
  }
  return true;
}

void block_state::finish_copies(lane_state& l, std::uint32_t before_group) {
  auto const keep = std::stable_partition(l.copies.begin(), l.copies.end(), [&](pending_copy const& c) { return c.group < before_group; });
  for (auto c = l.copies.begin(); c != keep; ++c) {
    std::uint32_t const offset = c->to - shared_start;
    std::byte* to = &shared_[offset];
    if (c->source_bytes) {
      remember_global(l, c->from, c->source_bytes, c->at, false, false);
      std::memcpy(to, device_memory::get().bytes_at(c->from), c->source_bytes);
    }
    std::memset(to + c->source_bytes, 0, c->bytes - c->source_bytes);
    remember_shared(l, offset, c->bytes, c->at, true, false);
    std::memset(&shared_written_[offset], 1, c->bytes);
    --pending;
  }
  l.copies.erase(l.copies.begin(), keep);
}

void lane::copy_async(std::uint32_t shared_address, std::uint64_t global_address, unsigned bytes, unsigned source_bytes, site at) {
  step();
  if ((bytes != 4 && bytes != 8 && bytes != 16) || source_bytes > bytes) {
    trap("cp.async of " + std::to_string(bytes) + " bytes, " + std::to_string(source_bytes) + " of them from the source: 4, 8 or 16", at);
  }
  block_.begin_copy(state_, {shared_address, global_address, bytes, source_bytes, state_.copy_group, at});
}

void lane::commit_group() { ++state_.copy_group; }

void lane::wait_group(unsigned most_pending, site) {
  if (state_.copy_group > most_pending) block_.finish_copies(state_, state_.copy_group - most_pending);
}

void lane::wait_all(site) { block_.finish_copies(state_, 0xffffffff); }

}  // namespace ptx_machine
