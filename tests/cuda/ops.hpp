// The case table of ops on the device.
#pragma once
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "cuda/check.hpp"

namespace dyadic::testing {

/// Extents of a program's axes for size n, those of op_graph::extents_for. By the axes' names: the compiler of a .cu file may be another
/// than this one's, and keys of axes are each compiler's own.
inline std::vector<std::int64_t> extents_for(graph_view g, std::int64_t n) {
  std::map<std::string, std::int64_t> const known = {{"row", n}, {"col", 3}, {"dep", 2}, {"both", n + 3}, {"wide", 4},
                                                     {"outer_row", (n + 1) / 2}, {"inner_row", 2}};
  std::vector<std::int64_t> e;
  for (int a = 0; a < g.naxes; ++a) {
    axis_info const& x = g.axes[a];
    std::string const name(x.name, static_cast<std::size_t>(x.name_size));
    auto const found = known.find(name.substr(name.rfind(':') + 1));
    if (x.rule == extent_rule::same_as) e.push_back(e.at(static_cast<std::size_t>(x.from)));
    else if (x.extent >= 0) e.push_back(x.extent);
    else {
      CAPTURE(name);
      REQUIRE(found != known.end());
      e.push_back(found->second);
    }
  }
  return e;
}

inline void compare_ops(int n, unsigned seed) {
  for (device_program const& p : op_programs()) {
    CAPTURE(std::string(p.name));
    CAPTURE(p.backward);
    CAPTURE(n);
    std::vector<std::int64_t> const e = extents_for(p.graph, n);
    std::mt19937 random(seed);
    std::vector<std::vector<double>> data(static_cast<std::size_t>(p.graph.nleaves));
    for (int l = 0; l < p.graph.nleaves; ++l) {
      std::int64_t count = 1;
      for (int k = 0; k < p.graph.leaves[l].rank; ++k) count *= e[static_cast<std::size_t>(p.graph.leaves[l].order[k])];
      leaf_range r = p.ranges[l];
      if (r.low == r.high) r = {-1, 1, false};   // the cotangent
      std::uniform_real_distribution<double> real(r.low, r.high);
      std::uniform_int_distribution<int> whole(static_cast<int>(r.low), static_cast<int>(r.high));
      for (std::int64_t i = 0; i < count; ++i) data[static_cast<std::size_t>(l)].push_back(r.whole ? whole(random) : real(random));
    }
    device_report const r = check_device(p, e, data);
    CAPTURE(r.node);
    CHECK(r.error <= 2e-6);
    CHECK(r.violations == "");
  }
}

}  // namespace dyadic::testing
