// Kernels scripted in C++: tests of the machine without a line of PTX.
#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../device_memory.hpp"
#include "../launch.hpp"

namespace scripted {

using namespace ptx_machine;

/// A place of its own for every line that asks for one.
inline site line(unsigned number, char const* file) { return add_site({file, number, 0, "scripted", {}}); }
#define HERE ([]() -> ::ptx_machine::site { static auto const here_ = ::scripted::line(__LINE__, "kernel.cu"); return here_; }())

/// n elements in global memory, written from the host or left unwritten; freed at the end.
template <class T>
class buffer {
 public:
  buffer(std::size_t n, char const* label) : memory_(device_memory::get().allocate(n * sizeof(T), memory_kind::device, label)) {}
  buffer(std::size_t n, char const* label, T fill) : buffer(n, label) {
    for (std::size_t i = 0; i < n; ++i) set(i, fill);
  }
  buffer(buffer const&) = delete;
  ~buffer() { device_memory::get().release(*memory_); }
  std::uint64_t at(std::size_t i) const { return memory_->start + i * sizeof(T); }
  T get(std::size_t i) const {
    T value;
    std::memcpy(&value, device_memory::get().bytes_at(at(i)), sizeof value);
    return value;
  }
  void set(std::size_t i, T value) {
    std::memcpy(device_memory::get().bytes_at(at(i)), &value, sizeof value);
    std::memset(device_memory::get().written_at(at(i)), 1, sizeof value);
  }
  allocation& memory() { return *memory_; }

 private:
  allocation* memory_;
};

template <class T>
T load(lane& l, space s, std::uint64_t address, site at, order how = order::weak) {
  T value;
  l.load(s, address, &value, sizeof value, at, how);
  return value;
}
template <class T>
void store(lane& l, space s, std::uint64_t address, T value, site at, order how = order::weak) {
  l.store(s, address, &value, sizeof value, at, how);
}
inline int atomic_add(lane& l, space s, std::uint64_t address, int by, site at, order how = order::relaxed) {
  int old = 0;
  l.atomic(s, address, sizeof old, [&](std::byte* value) {
    std::memcpy(&old, value, sizeof old);
    int const next = old + by;
    std::memcpy(value, &next, sizeof next);
  }, at, how);
  return old;
}
inline void sync_warp(lane& l, std::uint32_t mask, site at) {
  l.collective(mask, nullptr, [](void**, std::uint32_t) {}, {.orders_memory = true, .aligned = false}, at);
}

/// Runs the body under several schedules, each on a clean report; options are as they were afterwards.
template <class Check>
void on_schedules(launch_request const& request, Check&& check) {
  options const kept = current_options();
  struct schedule {
    std::uint32_t seed, preempt;
  };
  for (schedule const s : {schedule{0, 0}, {1, 0}, {2, 3}, {3, 1}}) {
    CAPTURE(s.seed);
    CAPTURE(s.preempt);
    current_options().seed = s.seed;
    current_options().preempt = s.preempt;
    reset();
    run_launch(request);
    report_data const found = report();
    INFO(to_string(found));
    check(found);
  }
  reset();
  current_options() = kept;
}

inline void expect_clean(launch_request const& request) {
  on_schedules(request, [](report_data const& r) { CHECK(r.ok()); });
}

/// Exactly this kind is found, whatever the schedule; returns the first message of the last run.
inline std::string expect_only(violation_kind kind, launch_request const& request) {
  std::string message;
  on_schedules(request, [&](report_data const& r) {
    REQUIRE(r.find(kind));
    message = r.find(kind)->message;
    for (violation const& v : r.violations) CHECK(v.kind == kind);
  });
  return message;
}

inline unsigned index(lane const& l) { return l.thread_index().x; }
inline std::uint32_t shared_at(std::uint32_t i) { return shared_start + 4 * i; }

inline launch_request request(unsigned blocks, unsigned threads, std::uint32_t shared_words, std::function<void(lane&)> body) {
  launch_request r;
  r.kernel = "scripted";
  r.grid = {blocks, 1, 1};
  r.block = {threads, 1, 1};
  r.static_shared_bytes = 4 * shared_words;
  r.body = std::move(body);
  return r;
}

}  // namespace scripted
