// What is remembered of accesses to one word of memory, and which pairs of them may be a race.
//
// A word of four bytes remembers four accesses, each with the bytes it touched. Forgotten are only accesses that a later one makes
// superfluous: whoever conflicts with the forgotten one conflicts with, or is ordered after, the one that is kept. Should that not make
// room (four unordered readers, or writers of single bytes), a reader of the same warp gives way, then any reader, then any: a race can be
// missed where more than four threads touch one word without order, never invented.
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

/// Adds `now` to the word's history. `ordered(access)`: did that one happen before `now`? `conflict(access)` is told every access that
/// races with it.
template <class Ordered, class Conflict>
void remember(word_history& word, access const& now, Ordered&& ordered, Conflict&& conflict) {
  access* room = nullptr;
  access* reader = nullptr;
  access* kin = nullptr;   // a reader of the same warp
  for (access& a : word.of) {
    if (!a.operation) {
      if (!room) room = &a;
      continue;
    }
    bool const same_thread = a.operation == now.operation && a.thread == now.thread;
    bool const covered = !(a.bytes & ~now.bytes);
    if (same_thread && a.time == now.time && covered && a.writes == now.writes && a.strong == now.strong) {
      a = now;   // nothing new to others, but no other slot can be one to drop that was not dropped before
      return;
    }
    bool const before = same_thread || ordered(a);
    if (!before && (a.bytes & now.bytes) && (a.writes || now.writes) && !(a.strong && now.strong)) conflict(a);
    bool const reported = !before && (a.writes || now.writes) && !(a.strong && now.strong);
    bool const speaks_for = before && (a.strong || !now.strong);   // a strong access stands in for no weak one
    if (covered && (now.writes || !a.writes) && (reported || speaks_for)) {
      a.operation = 0;
      if (!room) room = &a;
    } else if (!a.writes) {
      reader = &a;
      if (a.operation == now.operation && a.thread / 32 == now.thread / 32) kin = &a;
    }
  }
  if (!room) room = kin ? kin : reader ? reader : &word.of[now.time & 3];
  *room = now;
}

}  // namespace ptx_machine
