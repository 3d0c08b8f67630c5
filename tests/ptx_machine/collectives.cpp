// Lanes of a warp that meet by name: the last one to come acts for all.
#include <algorithm>
#include <cstdio>

#include "block.hpp"

namespace ptx_machine {
namespace {

std::string hex(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

}  // namespace

void lane::collective(std::uint32_t mask, void* mine, join_function join, collective_rules rules, site at) {
  block_state& b = block_;
  lane_state& l = state_;
  unsigned const self = l.index % 32;
  if (!(mask >> self & 1)) {
    violate(violation_kind::outside_mask, at, {}, 0, [&] {
      return "lane " + std::to_string(self) + " is not in the mask " + hex(mask) + " of the warp's operation at " + where(at) + ", " +
          b.describe(l);
    });
    void* alone[32] = {};
    alone[self] = mine;
    join(alone, 1u << self);
    return;
  }
  l.mask = mask;
  l.mine = mine;
  l.join = join;
  l.rules = rules;
  l.at = at;
  warp_state& warp = b.warp_of(l);
  for (unsigned i = 0; i < 32; ++i) {
    if (!(mask & warp.at_collective & 1u << i)) continue;
    lane_state const* other = &b.lanes[l.index - self + i];
    if (!(other->mask >> self & 1) || (other->join == join && other->mask == mask)) continue;
    violate(violation_kind::divergent_collective, other->at, at, 0, [&] {
      return b.describe(*other) + " waits at " + where(other->at) + " with mask " + hex(other->mask) + " for " + b.describe(l) +
          ", which waits for it at " + where(at) + " with mask " + hex(mask);
    });
    b.launch.stop();   // neither can go on
    throw thread_ends{};
  }
  l.status = thread_status::at_collective;
  warp.at_collective |= 1u << self;
  if (!b.try_release_collective(l, &l)) b.leave(l);
}

bool block_state::try_release_collective(lane_state& l, lane_state* running) {
  warp_state& warp = warp_of(l);
  std::uint32_t const mask = l.mask & warp.alive, first = l.index / 32 * 32;
  if (mask & ~warp.at_collective) return false;
  void* brought[32] = {};
  for (unsigned i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    lane_state& other = lanes[first + i];
    if (other.join != l.join || other.mask != l.mask) return false;
    brought[i] = other.mine;
    if (l.rules.aligned && other.at != l.at)
      violate(violation_kind::divergent_collective, other.at, l.at, 1, [&] {
        return "an aligned operation of a warp at two places: " + describe(other) + " at " + where(other.at) + ", " + describe(l) +
            " at " + where(l.at);
      });
  }
  l.join(brought, mask);
  if (l.rules.orders_memory) {
    std::uint32_t joined[32] = {};
    thread_clock far;
    for (unsigned i = 0; i < 32; ++i) {
      if (!(mask >> i & 1)) continue;
      lane_state& other = lanes[first + i];
      for (unsigned j = 0; j < 32; ++j) joined[j] = std::max(joined[j], warp.known[i][j]);
      far.join(other.far);
    }
    for (unsigned i = 0; i < 32; ++i)
      if (mask >> i & 1) joined[i] = ++lanes[first + i].time;
    for (unsigned i = 0; i < 32; ++i) {
      if (!(mask >> i & 1)) continue;
      std::copy(std::begin(joined), std::end(joined), std::begin(warp.known[i]));
      if (!far.empty()) lanes[first + i].far = far;
    }
  }
  warp.at_collective &= ~mask;
  if (launch.chosen.sectors && mask == warp.alive) warp.groups.close();
  for (unsigned i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    lane_state& other = lanes[first + i];
    other.status = thread_status::running;
    if (&other != running) launch.make_ready(other);
  }
  return true;
}

}  // namespace ptx_machine
