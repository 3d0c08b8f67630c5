// Buffers by the names that tests gave them.
#include <cstring>
#include <stdexcept>

#include "device_memory.hpp"

namespace ptx_machine {
namespace {

allocation& owner_of(void const* pointer, std::uint64_t bytes, char const* what) {
  auto const address = reinterpret_cast<std::uint64_t>(pointer);
  allocation* a = device_memory::get().find(address);
  if (!a || a->freed || address - a->start + bytes > a->bytes)
    throw std::invalid_argument(std::string("ptx_machine::") + what + ": the range is not in one live allocation: " +
        describe_address(address));
  return *a;
}

}  // namespace

void name(void const* pointer, std::string_view label, std::uint64_t bytes) {
  allocation& a = owner_of(pointer, bytes, "name");
  auto const address = reinterpret_cast<std::uint64_t>(pointer);
  if (!bytes && address != a.start) throw std::invalid_argument("ptx_machine::name: a part of an allocation needs its size");
  if (!bytes) {
    a.name = label;
    return;
  }
  auto const after = a.parts.lower_bound(address + bytes);
  auto from = a.parts.lower_bound(address);
  if (from != a.parts.begin() && std::prev(from)->second.end > address) --from;
  a.parts.erase(from, after);   // a new tenant of an arena's bytes replaces the old ones
  a.parts[address] = {{std::string(label)}, address + bytes};
}

void forget(void const* pointer, std::uint64_t bytes) {
  owner_of(pointer, bytes, "forget");
  auto const address = reinterpret_cast<std::uint64_t>(pointer);
  std::memset(device_memory::get().written_at(address), 0, bytes);
  std::memset(device_memory::get().bytes_at(address), 0xff, bytes);
}

void forbid(void const* pointer, std::uint64_t bytes) {
  owner_of(pointer, bytes, "forbid");
  std::memset(device_memory::get().written_at(reinterpret_cast<std::uint64_t>(pointer)), 2, bytes);
}

named& named_at(allocation& a, std::uint64_t address) {
  if (!a.parts.empty()) {
    auto after = a.parts.upper_bound(address);
    if (after != a.parts.begin() && (--after)->second.end > address) return after->second;
  }
  return a;
}

std::string describe_address(std::uint64_t address) {
  device_memory& memory = device_memory::get();
  allocation* a = memory.find(address);
  bool const inside = a;
  if (!a) a = memory.nearest(address);
  char number[32];
  std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(address));
  if (!a) return std::string(number) + ", which is no address of the device";
  bool const below = address < a->start;
  std::uint64_t const distance = below ? a->start - address : address - a->start;
  std::string text = '\'' + (inside ? named_at(*a, address).name : a->name) + "' " + (below ? "- " : "+ ") + std::to_string(distance) +
      " (of " + std::to_string(a->bytes) + " bytes)";
  if (a->freed) text += ", freed";
  return inside ? text : std::string(number) + ", near " + text;
}

}  // namespace ptx_machine
