// Copies, fills, and the lives of allocations that belong to streams.
#include "transfers.hpp"

#include <cstring>

#include "../report.hpp"

namespace ptx_machine::runtime {
namespace {

std::uint64_t number(void const* p) { return reinterpret_cast<std::uint64_t>(p); }

/// The bytes to read or write, checked; null when they may not be.
std::byte* reach(void const* address, std::uint64_t bytes, bool writes, operation const& by) {
  device_memory& memory = device_memory::get();
  if (!memory.contains(number(address))) return static_cast<std::byte*>(const_cast<void*>(address));
  if (!memory.check(number(address), bytes, writes ? "write" : "read", by, {})) return nullptr;
  memory.touch_range(number(address), bytes, writes, by, {});
  return memory.bytes_at(number(address));
}

}  // namespace

place place_of(void const* address) {
  allocation const* a = device_memory::get().find(number(address));
  if (!a) return device_memory::get().contains(number(address)) ? place::device : place::pageable;
  return a->kind == memory_kind::pinned ? place::pinned : a->kind == memory_kind::managed ? place::managed : place::device;
}

void copy(operation const& by, void* to, void const* from, std::uint64_t bytes) {
  if (!bytes) return;
  std::byte* const target = reach(to, bytes, true, by);
  std::byte const* const source = reach(from, bytes, false, by);
  if (!target || !source) return;
  std::memmove(target, source, bytes);
  device_memory& memory = device_memory::get();
  bool const to_device = memory.contains(number(to)), from_device = memory.contains(number(from));
  // copies of unwritten bytes
  if (to_device && from_device) std::memmove(memory.written_at(number(to)), memory.written_at(number(from)), bytes);
  else if (to_device) std::memset(memory.written_at(number(to)), 1, bytes);
  detail::mutable_report().total.copied_bytes += bytes;
}

void fill(operation const& by, void* to, int value, std::uint64_t bytes) {
  if (!bytes) return;
  std::byte* const target = reach(to, bytes, true, by);
  if (!target) return;
  std::memset(target, value, bytes);
  if (device_memory::get().contains(number(to))) std::memset(device_memory::get().written_at(number(to)), 1, bytes);
  detail::mutable_report().total.copied_bytes += bytes;
}

void fill_rows(operation const& by, void* to, std::uint64_t pitch, int value, std::uint64_t bytes, std::uint64_t rows) {
  for (std::uint64_t r = 0; r < rows; ++r) fill(by, static_cast<char*>(to) + r * pitch, value, bytes);
}

void copy_rows(operation const& by, void* to, std::uint64_t to_pitch, void const* from, std::uint64_t from_pitch, std::uint64_t bytes,
    std::uint64_t rows) {
  for (std::uint64_t r = 0; r < rows; ++r)
    copy(by, static_cast<char*>(to) + r * to_pitch, static_cast<char const*>(from) + r * from_pitch, bytes);
}

staged_bytes stage(void const* from, std::uint64_t bytes) {
  auto const* begin = static_cast<std::byte const*>(from);
  return std::make_shared<std::vector<std::byte> const>(begin, begin + bytes);
}

void begin_life(allocation& a, operation const& by) { a.made_by = by.id; }

void end_life(allocation& a, operation const& by) {
  if (!device_memory::get().check(a.start, 0, "free", by, {})) return;
  device_memory::get().touch_range(a.start, a.bytes, true, by, {});   // whoever used it must be done
  a.freed_by = by.id;
  device_memory::get().release(a);
}

}  // namespace ptx_machine::runtime
