// A thread's loads, stores and atomics: state spaces and windows.
#include <cstring>
#include <stdexcept>

#include "block.hpp"

namespace ptx_machine {
namespace {

std::uint64_t window_of(space s) { return s == space::shared ? shared_window : s == space::local ? local_window : param_window; }
bool has_window(space s) { return s == space::shared || s == space::local || s == space::param; }

/// The space a generic address is in; its offset there.
space resolve(space in, std::uint64_t& address) {
  if (in != space::generic) return in == space::constant ? space::global : in;
  for (space s : {space::shared, space::local, space::param})
    if (address - window_of(s) < window_bytes) {
      address -= window_of(s);
      return s;
    }
  return space::global;
}

/// A key for what was released at a place: shared memory is each block's own.
std::uint64_t place_key(space s, std::uint64_t address, std::uint32_t block) {
  return s == space::shared ? std::uint64_t(1) << 63 | std::uint64_t(block) << 24 | address : address;
}

inline void copy(void* to, void const* from, unsigned bytes) {   // a constant size is an instruction, any other a call
  switch (bytes) {
    case 1: std::memcpy(to, from, 1); break;
    case 2: std::memcpy(to, from, 2); break;
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    case 16: std::memcpy(to, from, 16); break;
    default: throw std::logic_error("ptx_machine: an access is of 1, 2, 4, 8 or 16 bytes");
  }
}

bool reads_first(order how) { return how == order::acquire || how == order::acquire_release; }

}  // namespace

std::uint64_t lane::to_generic(space from, std::uint64_t address) { return has_window(from) ? address + window_of(from) : address; }
std::uint64_t lane::from_generic(space to, std::uint64_t generic) { return has_window(to) ? generic - window_of(to) : generic; }

bool lane::is_in(space s, std::uint64_t generic) {
  if (has_window(s)) return generic - window_of(s) < window_bytes;
  if (s == space::constant) {
    allocation const* a = device_memory::get().find(generic);
    return a && a->kind == memory_kind::constant;
  }
  return generic - shared_window >= 3 * window_bytes;   // global: whatever is in no window
}

void lane::load(space in, std::uint64_t address, void* to, unsigned bytes, site at, order how) {
  step();
  space const s = resolve(in, address);
  bool const strong = how != order::weak;
  std::byte const* from = nullptr;
  if (s == space::global) from = block_.reach_global(state_, address, bytes, at, true, false, strong);
  else if (s == space::shared) from = block_.reach_shared(state_, address, bytes, at, true, false, strong);
  else if (s == space::local) from = block_.reach_local(state_, address, bytes, at, true, false);
  else {
    auto const parameters = block_.request().parameters;
    if (address + bytes <= parameters.size()) from = parameters.data() + address;
    else
      violate(violation_kind::out_of_bounds, at, {}, 3, [&] {
        return "read of parameter bytes from " + std::to_string(address) + " of " + std::to_string(parameters.size()) + ", " + where(at);
      });
  }
  if (from) {
    copy(to, from, bytes);
  } else {
    std::memset(to, 0xff, bytes);
    block_.launch.fault();
  }
  if (strong) {
    block_.strong_read(state_, place_key(s, address, block_.linear), how);
    block_.yield(state_);   // it may be waiting for another thread's store
  }
}

void lane::store(space in, std::uint64_t address, void const* from, unsigned bytes, site at, order how) {
  step();
  space const s = resolve(in, address);
  bool const strong = how != order::weak;
  std::byte* to = nullptr;
  if (s == space::global) to = block_.reach_global(state_, address, bytes, at, false, true, strong);
  else if (s == space::shared) to = block_.reach_shared(state_, address, bytes, at, false, true, strong);
  else if (s == space::local) to = block_.reach_local(state_, address, bytes, at, false, true);
  else violate(violation_kind::not_writable, at, {}, 3, [&] { return "write to a kernel's parameters, " + where(at); });
  if (to) copy(to, from, bytes);
  else block_.launch.fault();
  if (strong) block_.strong_write(state_, place_key(s, address, block_.linear), how, false);
}

std::byte* lane::begin_atomic(space in, std::uint64_t address, unsigned bytes, site at, order how) {
  step();
  space const s = resolve(in, address);
  std::byte* value = nullptr;
  if (s == space::global) value = block_.reach_global(state_, address, bytes, at, true, true, true);
  else if (s == space::shared) value = block_.reach_shared(state_, address, bytes, at, true, true, true);
  else trap("an atomic operation on local memory or parameters", at);
  if (!value) {
    block_.launch.fault();
    std::memset(state_.scratch, 0xff, sizeof state_.scratch);
    return state_.scratch;
  }
  std::uint64_t const key = place_key(s, address, block_.linear);
  block_.strong_read(state_, key, reads_first(how) ? order::acquire : order::relaxed);
  block_.strong_write(state_, key, how, true);
  return value;
}

void lane::end_atomic() {
  if (block_.launch.chosen.preempt || ++state_.atomics % 16 == 0) block_.yield(state_);   // a lock may be spun for
}

std::uint64_t lane::push_local(std::uint32_t bytes, std::uint32_t alignment) {
  lane_state& l = state_;
  std::size_t const begin = (std::max<std::size_t>(l.local.size(), 16) + alignment - 1) / alignment * alignment;
  l.local_frames.push_back(l.local.size());
  l.local.resize(begin + bytes, std::byte{0xff});
  l.local_written.resize(begin + bytes, 0);
  return begin;
}

void lane::pop_local(std::uint64_t address) {
  lane_state& l = state_;
  if (l.local_frames.empty() || address < l.local_frames.back()) throw std::logic_error("ptx_machine: local frames are a stack");
  l.local.resize(l.local_frames.back());
  l.local_written.resize(l.local_frames.back());
  l.local_frames.pop_back();
}

}  // namespace ptx_machine
