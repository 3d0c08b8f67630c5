// Programs on a device as tests see them: the graph and plan they came from, and a bound instance behind an interface, so that what runs
// and compares them is compiled by the host's compiler alone.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dyadic/expr/leaf.hpp"
#include "dyadic/plan/extents.hpp"
#include "dyadic/plan/plan.hpp"

namespace dyadic::testing {

/// Where a value lies on the device.
struct device_region {
  int node = -1;             ///< -1: scratch memory
  void const* begin = nullptr;
  std::size_t bytes = 0;
};

class device_run {
 public:
  virtual ~device_run() = default;
  virtual void set_leaf(int k, std::vector<float> const& values) = 0;
  virtual void set_random(std::uint64_t seed, std::uint64_t step, bool training) = 0;
  virtual void run() = 0;
  virtual std::vector<float> output(int k) = 0;
  virtual std::vector<device_region> regions() const = 0;   ///< of stored values, leaves and scratch memory
};

/// The numbers a leaf is filled with: from [low, high), or whole ones from low to high.
struct leaf_range { double low, high; bool whole; };

struct device_program {
  char const* name = nullptr;
  bool backward = false;
  graph_view graph;
  plan_view plan;            ///< with the device's groups
  std::unique_ptr<device_run> (*make)(extents const&) = nullptr;
  leaf_range const* ranges = nullptr;   ///< by leaf; of the cases of ops
};

/// Every case of support/op_cases.hpp, forward and, where it has one, its gradient; and programs of rows.
std::vector<device_program> const& op_programs();
std::vector<device_program> const& row_programs();

}  // namespace dyadic::testing
