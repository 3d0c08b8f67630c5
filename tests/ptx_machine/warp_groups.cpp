// Sectors and bank conflicts of warp instructions.
#include "warp_groups.hpp"

#include <algorithm>
#include <array>

namespace ptx_machine {

std::uint32_t count_sectors(std::uint32_t lanes, std::uint64_t const* addresses) {
  std::array<std::uint64_t, 32> sectors;
  std::size_t n = 0;
  for (unsigned l = 0; l < 32; ++l)   // an aligned access of at most 16 bytes lies in one sector
    if (lanes >> l & 1) sectors[n++] = addresses[l] / 32;
  std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(n));
  return static_cast<std::uint32_t>(std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(n)) - sectors.begin());
}

bank_passes count_bank_passes(std::uint32_t lanes, std::uint64_t const* addresses, unsigned bytes) {
  bank_passes result;
  unsigned const together = bytes <= 4 ? 32 : 128 / bytes;
  for (unsigned first = 0; first < 32; first += together) {
    std::array<std::uint64_t, 32> words;
    std::size_t n = 0;
    for (unsigned l = first; l < first + together; ++l)
      if (lanes >> l & 1)
        for (unsigned b = 0; b < bytes; b += 4) words[n++] = (addresses[l] + b) / 4;
    if (!n) continue;
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
    n = static_cast<std::size_t>(std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n)) - words.begin());
    std::array<std::uint32_t, 32> bank{};
    std::uint32_t worst = 0;
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, ++bank[words[i] % 32]);
    result.needed += worst;
    result.ideal += 1;   // at most 32 different words
  }
  return result;
}

void warp_groups::finish(group& g) {
  if (g.shared) {
    bank_passes const p = count_bank_passes(g.lanes, g.addresses, g.bytes);
    g.shared->wavefronts += p.needed;
    g.shared->ideal_wavefronts += p.ideal;
  } else {
    (g.writes ? g.buffer->written_sectors : g.buffer->read_sectors) += count_sectors(g.lanes, g.addresses);
  }
}

warp_groups::group& warp_groups::next(site at, unsigned lane) {
  if (at.index >= instructions_.size()) instructions_.resize(at.index + 1);
  auto& slot = instructions_[at.index];
  if (!slot) {
    slot = std::make_unique<instruction>();
    active_.push_back(at.index);
  }
  std::size_t const which = slot->runs[lane]++ - slot->closed;
  while (slot->open.size() <= which) {
    if (spare_.empty()) spare_.push_back(std::make_unique<group>());
    slot->open.push_back(std::move(spare_.back()));
    spare_.pop_back();
    slot->open.back()->lanes = 0;
    slot->open.back()->shared = nullptr;
    slot->open.back()->buffer = nullptr;
  }
  group& g = *slot->open[which];
  g.lanes |= 1u << lane;
  return g;
}

void warp_groups::retire(instruction& i) {   // whole warps at the front are counted at once: a long loop stays small
  std::size_t n = 0;
  while (n < i.open.size() && i.open[n]->lanes == 0xffffffff) finish(*i.open[n++]);
  for (std::size_t k = 0; k < n; ++k) spare_.push_back(std::move(i.open[k]));
  i.open.erase(i.open.begin(), i.open.begin() + static_cast<std::ptrdiff_t>(n));
  i.closed += static_cast<std::uint32_t>(n);
}

void warp_groups::add_global(site at, unsigned lane, std::uint64_t address, unsigned bytes, bool writes, traffic& buffer) {
  group& g = next(at, lane);
  if (g.buffer && g.buffer != &buffer) {   // one instruction, two buffers: count what is there, go on with the other
    std::uint32_t const others = g.lanes & ~(1u << lane);
    g.lanes = others;
    finish(g);
    g.lanes = 1u << lane;
  }
  g.buffer = &buffer;
  g.bytes = bytes;
  g.writes = writes;
  g.addresses[lane] = address;
  if (g.lanes == 0xffffffff) retire(*instructions_[at.index]);
}

void warp_groups::add_shared(site at, unsigned lane, std::uint32_t address, unsigned bytes, shared_traffic& counted) {
  group& g = next(at, lane);
  g.shared = &counted;
  g.bytes = bytes;
  g.addresses[lane] = address;
  if (g.lanes == 0xffffffff) retire(*instructions_[at.index]);
}

void warp_groups::close() {
  for (std::uint32_t index : active_) {
    instruction& i = *instructions_[index];
    for (auto& g : i.open) {
      finish(*g);
      spare_.push_back(std::move(g));
    }
    i.open.clear();
    i.closed = 0;
    std::fill(std::begin(i.runs), std::end(i.runs), 0u);
  }
}

}  // namespace ptx_machine
