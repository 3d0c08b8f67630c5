// Kernels on the PTX machine.
#include "cuda/machine.hpp"
#include "device_memory.hpp"
#include "options.hpp"
#include "report.hpp"

namespace dyadic::testing {

bool watched() { return true; }
void watch(std::vector<device_region> const& regions, graph_view) {
  ptx_machine::report();
  ptx_machine::reset();
  for (device_region const& r : regions)
    ptx_machine::name(r.begin, r.node < 0 ? "scratch" : "node " + std::to_string(r.node), r.bytes);
}
std::string violations() {
  ptx_machine::report_data const& r = ptx_machine::report();
  return r.ok() ? "" : ptx_machine::to_string(r);
}
std::map<int, moved_bytes> moved() {
  std::map<int, moved_bytes> by_node;
  for (auto const& [name, traffic] : ptx_machine::report().total.buffers) {
    int const node = name == "scratch" ? -1 : name.starts_with("node ") ? std::stoi(name.substr(5)) : -2;
    by_node[node].read += traffic.read_bytes;
    by_node[node].written += traffic.written_bytes;
  }
  return by_node;
}
void choose_schedule(std::uint64_t seed, std::uint32_t preempt) {
  ptx_machine::current_options().seed = seed;
  ptx_machine::current_options().preempt = preempt;
}

}  // namespace dyadic::testing
