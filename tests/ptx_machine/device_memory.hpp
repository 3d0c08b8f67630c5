// Global memory: allocations with ranges of their own, and for every byte whether it was written and who touched it last.
//
// Addresses are never reused, so a freed one is known for what it was. The device's addresses are not the host's: a host that follows one
// faults, as it would with a device. Pinned and managed memory, which both may touch, has one address for both.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "access.hpp"
#include "operation.hpp"
#include "report.hpp"

namespace ptx_machine {

enum class memory_kind : std::uint8_t { device, constant, pinned, managed };

/// A name, and its counters in the launch that looked last.
struct named {
  std::string name;
  traffic* counted = nullptr;
  std::uint32_t counted_by = 0;
};

struct named_part : named {
  std::uint64_t end = 0;
};

struct allocation : named {
  std::uint64_t start = 0, bytes = 0;
  memory_kind kind = memory_kind::device;
  bool freed = false;
  static constexpr std::uint32_t not_yet = 0xffffffff;   // a stream will make it
  std::uint32_t made_by = 0, freed_by = 0;               // operations of a stream, or 0: the host itself
  std::uint32_t asked = 0;                   // the last operation that was allowed in
  std::map<std::uint64_t, named_part> parts;   // by their start: see name()
  bool seen_by_host() const { return kind == memory_kind::pinned || kind == memory_kind::managed; }
};

class device_memory {
 public:
  static device_memory& get();

  /// 256-byte aligned, no better; at least 256 bytes of nothing around it. Bytes are 0xff, never written. Null when it does not fit.
  allocation* allocate(std::uint64_t bytes, memory_kind, std::string name);
  void release(allocation&);   // later accesses are use after free
  allocation* find(std::uint64_t address) const {   // that owns the address, freed or not; null: nobody ever did
    return contains(address) ? allocations_[owner_[offset(address) / unit]].get() : nullptr;
  }
  allocation* nearest(std::uint64_t address) const;   // that ends or begins closest, for messages

  std::byte* bytes_at(std::uint64_t address) { return backing_ + offset(address); }
  std::uint8_t* written_at(std::uint64_t address) { return written_ + offset(address); }      // 1: written; 0: not; 2: forbidden
  word_history& history_of(std::uint64_t address) { return histories_[offset(address) / 4]; }
  bool contains(std::uint64_t address) const { return address - device_base_ < capacity || address - host_base() < capacity; }

  /// Is [address, address + bytes) inside one live allocation that `by` may touch? If not, reports it and returns null.
  allocation* check(std::uint64_t address, std::uint64_t bytes, char const* doing, operation const& by, site at) {
    allocation* a = find(address);
    bool const good = a && !a->freed && address - a->start + bytes <= a->bytes && (a->asked == by.id || let_in(*a, by));
    return good ? a : refuse(address, bytes, doing, by, at);
  }

  /// What a copy or a fill does to a range: races against everything before, and marks.
  void touch_range(std::uint64_t address, std::uint64_t bytes, bool writes, operation const& by, site);

  static constexpr std::uint64_t capacity = std::uint64_t(16) << 30;   // of addresses; memory is used where it is touched

 private:
  device_memory();
  std::uint64_t host_base() const { return reinterpret_cast<std::uint64_t>(backing_); }
  std::uint64_t offset(std::uint64_t address) const { return address - (address - device_base_ < capacity ? device_base_ : host_base()); }
  static bool let_in(allocation&, operation const& by);
  [[gnu::noinline]] allocation* refuse(std::uint64_t address, std::uint64_t bytes, char const* doing, operation const& by, site);

  static constexpr std::uint64_t unit = 256;
  std::uint64_t device_base_ = 0;
  std::byte* backing_ = nullptr;
  std::uint8_t* written_ = nullptr;
  word_history* histories_ = nullptr;
  std::uint32_t* owner_ = nullptr;   // of each unit: index into allocations_
  std::uint64_t next_ = unit;
  std::vector<std::unique_ptr<allocation>> allocations_;
};

/// Names a buffer for reports and counters: all of the allocation that `pointer` begins, or, with `bytes`, a part of one (an arena's).
void name(void const* pointer, std::string_view label, std::uint64_t bytes = 0);

/// Declares bytes never written (an arena's part that gets a new tenant), or forbidden: any access to them is out of bounds.
void forget(void const* pointer, std::uint64_t bytes);
void forbid(void const* pointer, std::uint64_t bytes);

/// "'keys' + 128 (of 4096 bytes)", or what is closest to a wild address.
std::string describe_address(std::uint64_t address);
named& named_at(allocation&, std::uint64_t address);   // the part where the address is in one

}  // namespace ptx_machine
