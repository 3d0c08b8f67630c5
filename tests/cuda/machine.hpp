// What tests ask of whatever runs their kernels: the PTX machine, which watches and counts, or a device, which does neither. One of
// on_machine.cpp and on_device.cpp is linked.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/device_program.hpp"

namespace dyadic::testing {

struct moved_bytes { std::uint64_t read = 0, written = 0; };

/// Whether kernels are watched: races, bounds, unwritten reads; and bytes counted.
bool watched();
/// Names a run's regions, and forgets what was found and counted so far.
void watch(std::vector<device_region> const& regions, graph_view g);
/// Violations since then, as text; empty when there are none, or nobody watched.
std::string violations();
/// Bytes that kernels moved since then, by the node's number ("scratch": -1).
std::map<int, moved_bytes> moved();
/// Runs the launches to come under schedule `seed`, changing threads every `preempt` steps on average (0: where they meet).
void choose_schedule(std::uint64_t seed, std::uint32_t preempt);

}  // namespace dyadic::testing
