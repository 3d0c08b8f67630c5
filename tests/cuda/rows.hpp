// Programs of rows on the device, at any number and length of rows.
#pragma once
#include <doctest/doctest.h>

#include "cuda/check.hpp"

namespace dyadic::testing {

/// A program of rows against its definition.
inline device_report check_rows(device_program const& p, std::int64_t rows, std::int64_t width, unsigned seed) {
  std::vector<std::int64_t> e;
  for (int a = 0; a < p.graph.naxes; ++a) {
    std::string const name(p.graph.axes[a].name, static_cast<std::size_t>(p.graph.axes[a].name_size));
    e.push_back(name.find("rows") != std::string::npos ? rows : width);
  }
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(0.5, 2);
  std::uniform_int_distribution<int> target(-1, static_cast<int>(width) - 1);
  std::vector<std::vector<double>> data(static_cast<std::size_t>(p.graph.nleaves));
  for (int l = 0; l < p.graph.nleaves; ++l) {
    std::int64_t n = 1;
    for (int k = 0; k < p.graph.leaves[l].rank; ++k) n *= e[static_cast<std::size_t>(p.graph.leaves[l].order[k])];
    for (std::int64_t i = 0; i < n; ++i) {   // neighbours far apart and none near 0: else a norm has no digits to compare
      double const sign = width > 0 && i % width % 2 ? 1 : -1;
      data[static_cast<std::size_t>(l)].push_back(p.graph.leaves[l].role == leaf_role::index ? target(random) : sign * real(random));
    }
  }
  return check_device(p, e, data);
}

inline void compare_rows(std::int64_t rows, std::int64_t width, unsigned seed) {
  for (device_program const& p : row_programs()) {
    CAPTURE(std::string(p.name));
    CAPTURE(p.backward);
    CAPTURE(rows);
    CAPTURE(width);
    device_report const r = check_rows(p, rows, width, seed);
    CAPTURE(r.node);
    CHECK(r.error <= 2e-6);
    CHECK(r.violations == "");
    bool rows_alone = true;   // every statement a group: what this count is exact for
    for (int s = 0; s < p.plan.size; ++s) {
      node const& x = p.graph[p.plan[s].id];
      rows_alone = rows_alone && (p.plan[s].group >= 0 || traits(x.kind).kind == op_class::leaf || x.axes == 0);
    }
    if (watched() && rows_alone) CHECK(r.moved == r.predicted);
  }
}

}  // namespace dyadic::testing
