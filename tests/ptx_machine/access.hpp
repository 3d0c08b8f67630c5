// What is remembered of accesses to one word of memory, and which pairs of them may be a race.
//
// A word of four bytes remembers four accesses, each with the bytes it touched. Forgotten are accesses that a later one makes superfluous:
// whoever conflicts with the forgotten one conflicts with, or is ordered after, the one that is kept. Where that does not make room (more
// than four unordered threads at one word) a reader gives way, one of a warp that has two others there first. So a race can be missed where
// many threads touch one word without order; none is invented.
#pragma once
#include <cstdint>

#include "site.hpp"

namespace ptx_machine {

struct access {
  static constexpr std::uint32_t nobody = 0xffffffff;   // a copy or a fill: no thread of a launch
  std::uint32_t operation = 0;   // 0: an empty slot. Shared memory: the serial number of the block
  std::uint32_t thread = 0;      // in the launch
  std::uint32_t time = 0;        // of that thread
  std::uint32_t site_index : 24 = 0, bytes : 4 = 0, writes : 1 = 0, strong : 1 = 0;
};

struct alignas(64) word_history {
  access of[4];
};

/// Which bytes of the word at `word` an access of `bytes` bytes at `address` touches.
inline unsigned bytes_touched(std::uint64_t word, std::uint64_t address, std::uint64_t bytes) {
  unsigned mask = 0xf;
  if (word < address) mask &= 0xfu << (address - word);
  if (word + 4 > address + bytes) mask &= 0xfu >> (word + 4 - address - bytes);
  return mask;
}

/// Adds `now` to the word's history. `ordered(access)`: did that one happen before `now`? `conflict(access)` is told every access that
/// races with it.
template <class Ordered, class Conflict>
void remember(word_history& word, access const& now, Ordered&& ordered, Conflict&& conflict) {
  access* room = nullptr;
  access* reader = nullptr;
  access* kin = nullptr;   // a reader of the same warp
  unsigned kins = 0, taken = 0;
  for (access& a : word.of) {
    if (!a.operation) {
      room = &a;
      continue;
    }
    ++taken;
    bool const same_thread = a.operation == now.operation && a.thread == now.thread;
    if (!a.writes && !now.writes) {   // no conflict, and seldom worth asking about their order
      if (same_thread && a.bytes == now.bytes && a.strong == now.strong) room = &a;
      else if (a.operation == now.operation && a.thread / 32 == now.thread / 32) kin = &a, ++kins;
      if (!reader || (now.thread + taken) % 3 == 0) reader = &a;   // any of them, not always the same
      continue;
    }
    bool const covered = !(a.bytes & ~now.bytes);
    if (same_thread && a.time == now.time && covered && a.writes && now.writes && a.strong == now.strong) {   // a rewrite
      a = now;
      return;
    }
    bool const before = same_thread || ordered(a), both_strong = a.strong && now.strong;
    bool const reported = !before && !both_strong;
    if (reported && (a.bytes & now.bytes)) conflict(a);
    bool const speaks_for = before && (a.strong || !now.strong);   // a strong access stands in for no weak one
    if (now.writes && covered && (reported || speaks_for)) {
      a.operation = 0;
      room = &a;
    } else if (!a.writes) {
      reader = &a;
    }
  }
  if (!room) room = kins > 1 ? kin : reader ? reader : &word.of[(now.thread + now.time) & 3];
  *room = now;
}

}  // namespace ptx_machine
