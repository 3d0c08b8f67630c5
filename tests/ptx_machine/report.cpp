// Violations, gathered by place; a program that ends without having read them fails.
#include "report.hpp"

#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

namespace ptx_machine {
namespace {

struct key {
  violation_kind kind;
  std::uint32_t first, second;
  std::uint64_t detail;
  bool operator==(key const&) const = default;
};
struct key_hash {
  std::size_t operator()(key const& k) const {
    std::uint64_t h = (std::uint64_t(k.first) << 32 | k.second) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>((h ^ k.detail ^ std::uint64_t(k.kind) << 56) * 0xD6E8FEB86659FD93u >> 7);
  }
};

struct store {
  report_data data;
  std::unordered_map<key, std::size_t, key_hash> index;
  std::uint64_t all = 0, read = 0;
  void (*drain)() = nullptr;
  std::vector<void (*)()> clear;
};

void at_exit();

store& the_store() {   // never destroyed: it is read at exit
  static store* s = [] {
    std::atexit(at_exit);
    return new store;
  }();
  return *s;
}

void at_exit() {
  store& s = the_store();
  if (s.drain) s.drain();
  if (s.all == s.read) return;
  std::fflush(stdout);
  std::fputs(to_string(s.data).c_str(), stderr);
  std::fputs("ptx_machine: the program ended without reading these violations\n", stderr);
  std::fflush(stderr);
  std::_Exit(86);
}

}  // namespace

char const* name_of(violation_kind k) {
  static constexpr char const* names[] = {
      "race", "stream race", "out of bounds", "use after free", "read of unwritten memory", "misaligned", "not writable", "pending copy",
      "divergent barrier", "barrier after exit", "divergent collective", "outside the mask", "deadlock", "trap", "watchdog", "bad call"};
  return names[static_cast<int>(k)];
}

traffic& traffic::operator+=(traffic const& o) {
  read_bytes += o.read_bytes;
  written_bytes += o.written_bytes;
  reads += o.reads;
  writes += o.writes;
  atomics += o.atomics;
  read_sectors += o.read_sectors;
  written_sectors += o.written_sectors;
  return *this;
}

shared_traffic& shared_traffic::operator+=(shared_traffic const& o) {
  traffic::operator+=(o);
  wavefronts += o.wavefronts;
  ideal_wavefronts += o.ideal_wavefronts;
  return *this;
}

counters& counters::operator+=(counters const& o) {
  for (auto const& [name, t] : o.buffers) buffers[name] += t;
  shared += o.shared;
  local += o.local;
  block_barriers += o.block_barriers;
  steps += o.steps;
  copied_bytes += o.copied_bytes;
  return *this;
}

violation const* report_data::find(violation_kind kind) const {
  for (violation const& v : violations)
    if (v.kind == kind) return &v;
  return nullptr;
}

report_data const& report() {
  store& s = the_store();
  if (s.drain) s.drain();
  s.read = s.all;
  return s.data;
}

void reset() {
  store& s = the_store();
  if (s.drain) s.drain();
  s.data = {};
  s.index.clear();
  s.all = s.read = 0;
  for (auto clear : s.clear) clear();
}

std::string to_string(report_data const& r) {
  std::string text;
  for (violation const& v : r.violations) {
    text += std::string(name_of(v.kind)) + ": " + v.message;
    if (v.count > 1) text += " (" + std::to_string(v.count) + " times)";
    text += '\n';
  }
  return text.empty() ? "no violations\n" : text;
}

namespace detail {

std::uint64_t count_violation(violation_kind kind, site first, site second, std::uint64_t which) {
  store& s = the_store();
  ++s.all;
  auto const [at, fresh] = s.index.try_emplace({kind, first.index, second.index, which}, s.data.violations.size());
  if (fresh) s.data.violations.push_back({kind, {}, first, second, 0});
  return ++s.data.violations[at->second].count;
}

void add_message(std::string message) { the_store().data.violations.back().message = std::move(message); }
std::uint64_t violations_so_far() { return the_store().all; }
report_data& mutable_report() { return the_store().data; }
void print(std::string_view text) {
  the_store().data.printed += text;
  std::fwrite(text.data(), 1, text.size(), stdout);
}
void on_report(void (*drain)()) { the_store().drain = drain; }
void on_reset(void (*clear)()) { the_store().clear.push_back(clear); }

}  // namespace detail
}  // namespace ptx_machine
