// Global memory: the address space and its shadows, allocation and bounds.
#include "device_memory.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ptx_machine {
namespace {

std::byte* reserve(std::uint64_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    std::fprintf(stderr, "ptx_machine: cannot reserve %llu bytes of address space\n", static_cast<unsigned long long>(bytes));
    std::_Exit(3);
  }
  return static_cast<std::byte*>(p);
}

/// Gives pages back where whole ones are covered: they read as zeros afterwards.
void zero(void* start, std::uint64_t bytes) {
  auto const from = reinterpret_cast<std::uint64_t>(start), page = ~std::uint64_t(4095);
  std::uint64_t const first = (from + 4095) & page, last = (from + bytes) & page;
  if (first >= last) {
    std::memset(start, 0, bytes);
    return;
  }
  std::memset(start, 0, first - from);
  std::memset(reinterpret_cast<void*>(last), 0, from + bytes - last);
  if (madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED)) std::memset(reinterpret_cast<void*>(first), 0, last - first);
}

}  // namespace

device_memory& device_memory::get() {
  static auto* memory = new device_memory;   // never destroyed: programs free at exit
  return *memory;
}

device_memory::device_memory() {
  device_base_ = reinterpret_cast<std::uint64_t>(reserve(capacity, PROT_NONE));
  backing_ = reserve(capacity, PROT_READ | PROT_WRITE);
  written_ = reinterpret_cast<std::uint8_t*>(reserve(capacity, PROT_READ | PROT_WRITE));
  histories_ = reinterpret_cast<word_history*>(reserve(capacity / 4 * sizeof(word_history), PROT_READ | PROT_WRITE));
  madvise(histories_, capacity / 4 * sizeof(word_history), MADV_HUGEPAGE);   // one line of cache per word: small pages would miss the TLB
  owner_ = reinterpret_cast<std::uint32_t*>(reserve(capacity / unit * sizeof(std::uint32_t), PROT_READ | PROT_WRITE));
  allocations_.push_back(nullptr);   // owner 0 is nobody
}

allocation* device_memory::allocate(std::uint64_t bytes, memory_kind kind, std::string label) {
  std::uint64_t const units = (bytes + unit - 1) / unit;
  if (bytes > capacity || next_ + (units + 2) * unit > capacity) return nullptr;
  std::uint64_t const at = next_ / unit % 2 ? next_ : next_ + unit;   // an odd unit: aligned to 256 and to nothing more
  next_ = at + (units + 1) * unit;
  for (std::uint64_t u = at / unit; u < at / unit + units; ++u) owner_[u] = static_cast<std::uint32_t>(allocations_.size());
  auto made = std::make_unique<allocation>();
  made->kind = kind;
  made->bytes = bytes;
  made->start = (made->seen_by_host() ? host_base() : device_base_) + at;
  made->name = label.empty() ? "buffer " + std::to_string(allocations_.size()) : std::move(label);
  std::memset(backing_ + at, 0xff, bytes);
  if (made->seen_by_host()) std::memset(written_ + at, 1, bytes);   // what the host writes there nobody sees
  allocations_.push_back(std::move(made));
  return allocations_.back().get();
}

void device_memory::release(allocation& a) {
  a.freed = true;
  std::uint64_t const at = offset(a.start);
  zero(backing_ + at, a.bytes);
  zero(written_ + at, a.bytes);
  zero(&histories_[at / 4], (a.bytes + 3) / 4 * sizeof(word_history));
}

allocation* device_memory::nearest(std::uint64_t address) const {
  if (!contains(address)) return nullptr;
  allocation* best = nullptr;
  std::uint64_t distance = ~std::uint64_t(0);
  for (auto const& a : allocations_) {
    if (!a || a->freed) continue;
    std::uint64_t const d = address < a->start ? a->start - address : address - a->start < a->bytes ? 0 : address - a->start - a->bytes;
    if (d < distance) {
      distance = d;
      best = a.get();
    }
  }
  return best;
}

bool device_memory::let_in(allocation& a, operation const& by) {
  if (a.made_by == allocation::not_yet) return false;
  if (a.made_by && !operation_table::get().ordered(a.made_by, by)) return false;
  if (a.freed_by && a.freed_by != by.id) return false;
  a.asked = by.id;
  return true;
}

allocation* device_memory::refuse(std::uint64_t address, std::uint64_t bytes, char const* doing, operation const& by, site at) {
  allocation const* a = find(address);
  std::string const who = by.what + ": " + doing + " of " + std::to_string(bytes) + " bytes at " + describe_address(address) +
                          (at.index ? ", " + where(at) : "");
  if (a && (a->freed || a->freed_by)) {
    violate(violation_kind::use_after_free, at, {}, address >> 8, [&] { return who + ": it was freed"; });
  } else if (a && address - a->start + bytes <= a->bytes) {
    violate(violation_kind::stream_race, at, {}, a->start, [&] {
      return who + ": nothing orders it after the allocation in another stream";
    });
  } else {
    violate(violation_kind::out_of_bounds, at, {}, a ? a->start : 0, [&] { return who; });
  }
  return nullptr;
}

void device_memory::touch_range(std::uint64_t address, std::uint64_t bytes, bool writes, operation const& by, site at) {
  auto const& table = operation_table::get();
  for (std::uint64_t word = address & ~std::uint64_t(3); word < address + bytes; word += 4) {
    access now{by.id, access::nobody, 0};
    now.site_index = at.index & 0xffffff;
    now.bytes = bytes_touched(word, address, bytes) & 0xf;
    now.writes = writes;
    auto const ordered = [&](access const& a) { return a.operation == by.id || table.ordered(a.operation, by); };
    remember(history_of(word), now, ordered, [&](access const& a) {
      site const other{a.site_index};
      violate(violation_kind::stream_race, other, at, std::uint64_t(a.operation) << 32 | by.id, [&] {
        return std::string(a.writes ? "written" : "read") + " by " + table.what(a.operation) + (other.index ? " at " + where(other) : "") +
            ", then " + (writes ? "written" : "read") + " by " + by.what + ": nothing orders them; " + describe_address(word);
      });
    });
  }
}

}  // namespace ptx_machine
