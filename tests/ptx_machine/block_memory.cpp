// Every access of a thread: is it allowed, is it a race, what does it count for.
#include <cstring>

#include "block.hpp"

namespace ptx_machine {
namespace {

/// The first byte that was not written (value 1), or `bytes`.
unsigned first_unwritten(std::uint8_t const* written, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    if (written[i] != 1) return i;
  return bytes;
}
template <class T>
T word_at(void const* p) {
  T word;
  std::memcpy(&word, p, sizeof word);
  return word;
}
inline bool all_written(std::uint8_t const* written, unsigned bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  switch (bytes) {
    case 1: return *written == 1;
    case 2: return word_at<std::uint16_t>(written) == 0x0101;
    case 4: return word_at<std::uint32_t>(written) == 0x01010101;
    case 8: return word_at<std::uint64_t>(written) == ones;
    case 16: return word_at<std::uint64_t>(written) == ones && word_at<std::uint64_t>(written + 8) == ones;
    default: return first_unwritten(written, bytes) == bytes;
  }
}

char const* verb(bool reads, bool writes) { return !writes ? "read" : reads ? "atomic" : "write"; }

void count(traffic& t, unsigned bytes, bool reads, bool writes) {
  if (reads) t.read_bytes += bytes;
  if (writes) t.written_bytes += bytes;
  ++(reads && writes ? t.atomics : reads ? t.reads : t.writes);
}

}  // namespace

void block_state::race(access const& a, lane_state const& l, site at, bool writes, std::string const& place, std::uint64_t which) const {
  site const other{a.site_index};
  bool const here = a.operation == launch.by.id;
  violate(here ? violation_kind::race : violation_kind::stream_race, other, at, which, [&] {
    std::string text = std::string(a.writes ? "written" : "read") + (other.index ? " at " + where(other) : "");
    if (!here) text += " by " + operation_table::get().what(a.operation);
    else text += " by " + describe(a.thread);
    text += std::string(", ") + (writes ? "written" : "read") + " at " + where(at) + " by " + describe(l);
    if (!here) text += " of " + launch.by.what;
    return text + ": nothing orders them; " + place + ", " + request().kernel;
  });
}

void block_state::remember_global(lane_state& l, std::uint64_t address, unsigned bytes, site at, bool writes, bool strong) {
  if (!launch.chosen.races) return;
  access now{launch.by.id, l.thread, l.time};
  now.site_index = at.index & 0xffffff;
  now.writes = writes;
  now.strong = strong;
  for (std::uint64_t word = address & ~std::uint64_t(3); word < address + bytes; word += 4) {
    now.bytes = bytes_touched(word, address, bytes) & 0xf;
    remember(memory.history_of(word), now, [&](access const& a) { return ordered(a, l); },
             [&](access const& a) { race(a, l, at, writes, describe_address(word), 0); });
  }
}

void block_state::remember_shared(lane_state& l, std::uint32_t offset, unsigned bytes, site at, bool writes, bool strong) {
  if (!launch.chosen.races) return;
  access now{launch.by.id, l.thread, l.time};
  now.site_index = at.index & 0xffffff;
  now.writes = writes;
  now.strong = strong;
  for (std::uint32_t word = offset & ~3u; word < offset + bytes; word += 4) {
    now.bytes = bytes_touched(word, offset, bytes) & 0xf;
    remember(shared_histories_[word / 4], now, [&](access const& a) { return ordered(a, l); },
             [&](access const& a) { race(a, l, at, writes, "shared memory + " + std::to_string(word + shared_start), 1); });
  }
}

std::byte* block_state::reach_global(lane_state& l, std::uint64_t address, unsigned bytes, site at, bool reads, bool writes, bool strong) {
  if (address % bytes) {
    violate(violation_kind::misaligned, at, {}, 0, [&] {
      return std::string(verb(reads, writes)) + " of " + std::to_string(bytes) + " bytes at " + describe_address(address) + ", " +
          where(at) + ", " + describe(l);
    });
    return nullptr;
  }
  allocation* a = memory.check(address, bytes, verb(reads, writes), launch.by, at);
  if (!a) return nullptr;
  if (writes && a->kind == memory_kind::constant) {
    violate(violation_kind::not_writable, at, {}, a->start, [&] {
      return "write to constant memory, " + describe_address(address) + ", " + where(at);
    });
    return nullptr;
  }
  std::uint8_t* written = memory.written_at(address);
  bool const filled = all_written(written, bytes);
  if (!filled) {
    unsigned const hole = first_unwritten(written, bytes);
    bool forbidden = false;
    for (unsigned i = 0; i < bytes; ++i) forbidden = forbidden || written[i] == 2;
    if (forbidden) {
      violate(violation_kind::out_of_bounds, at, {}, a->start, [&] {
        return std::string(verb(reads, writes)) + " of forbidden bytes, " + describe_address(address) + ", " + where(at) + ", " +
            describe(l);
      });
      return nullptr;
    }
    if (reads && hole < bytes)
      violate(violation_kind::read_of_unwritten, at, {}, a->start, [&] {
        return "read of " + describe_address(address + hole) + ", never written, at " + where(at) + " in " + request().kernel + " by " +
            describe(l);
      });
  }
  named& buffer = a->parts.empty() ? *a : named_at(*a, address);
  if (buffer.counted_by != launch.by.id) {
    buffer.counted = &launch.counted.buffers[buffer.name];
    buffer.counted_by = launch.by.id;
  }
  count(*buffer.counted, bytes, reads, writes);
  if (launch.chosen.sectors) warp_of(l).groups.add_global(at, l.index % 32, address, bytes, writes, *buffer.counted);
  remember_global(l, address, bytes, at, writes, strong);
  if (writes && !filled) std::memset(written, 1, bytes);
  return memory.bytes_at(address);
}

std::byte* block_state::reach_shared(lane_state& l, std::uint64_t address, unsigned bytes, site at, bool reads, bool writes, bool strong) {
  if (address % bytes || address < shared_start || address + bytes > shared_end()) {
    violation_kind const kind = address % bytes ? violation_kind::misaligned : violation_kind::out_of_bounds;
    violate(kind, at, {}, 1, [&] {
      return std::string(verb(reads, writes)) + " of " + std::to_string(bytes) + " bytes at shared memory + " + std::to_string(address) +
          " (the block has " + std::to_string(shared_bytes()) + " bytes from " + std::to_string(shared_start) + " on), " + where(at) +
          " in " + request().kernel + ", " + describe(l);
    });
    return nullptr;
  }
  auto const offset = static_cast<std::uint32_t>(address - shared_start);
  std::uint8_t* written = &shared_written_[offset];
  bool const filled = all_written(written, bytes);
  if ((reads || pending) && !filled) {
    bool on_its_way = false;
    for (unsigned i = 0; i < bytes; ++i) on_its_way = on_its_way || written[i] == 4;
    if (on_its_way) {
      violate(violation_kind::pending_copy, at, {}, 1, [&] {
        return std::string(verb(reads, writes)) + " at " + where(at) + " in " + request().kernel +
            " of bytes whose cp.async has not been waited for, shared memory + " + std::to_string(address) + ", " + describe(l);
      });
    } else if (reads) {
      violate(violation_kind::read_of_unwritten, at, {}, 1, [&] {
        return "read of shared memory + " + std::to_string(address) + ", never written by the block, at " + where(at) + " in " +
            request().kernel + " by " + describe(l);
      });
    }
  }
  count(launch.counted.shared, bytes, reads, writes);
  if (launch.chosen.sectors)
    warp_of(l).groups.add_shared(at, l.index % 32, static_cast<std::uint32_t>(address), bytes, launch.counted.shared);
  remember_shared(l, offset, bytes, at, writes, strong);
  if (writes && !filled) std::memset(written, 1, bytes);
  return &shared_[offset];
}

std::byte* block_state::reach_local(lane_state& l, std::uint64_t address, unsigned bytes, site at, bool reads, bool writes) {
  bool const outside = address < 16 || address + bytes > l.local.size();
  if (outside || address % bytes) {
    violate(outside ? violation_kind::out_of_bounds : violation_kind::misaligned, at, {}, 2, [&] {
      return std::string(verb(reads, writes)) + " of " + std::to_string(bytes) + " bytes at local memory + " + std::to_string(address) +
          ", " + where(at) + " in " + request().kernel + ", " + describe(l);
    });
    return nullptr;
  }
  std::uint8_t* written = &l.local_written[address];
  bool const filled = all_written(written, bytes);
  if (reads && !filled)
    violate(violation_kind::read_of_unwritten, at, {}, 2, [&] {
      return "read of local memory + " + std::to_string(address) + ", never written, at " + where(at) + " in " + request().kernel +
          " by " + describe(l);
    });
  count(launch.counted.local, bytes, reads, writes);
  if (writes && !filled) std::memset(written, 1, bytes);
  return &l.local[address];
}

}  // namespace ptx_machine
