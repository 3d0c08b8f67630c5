// Every model of the library in one configuration, traced in one translation unit.
#pragma once
#include <string>
#include <vector>

#include "support/machine.hpp"

namespace test {

/// How a plan visits tokens.
enum class visit { parallel, tiled, sequential };

struct system {
  std::string name;
  dyadic::graph_view traced;
  visit evaluation, training;          ///< what `arrange` finds
  bool causal = true;
  bool feedback = false;               ///< its state is fed back along tokens: solvers apply
};
std::vector<system> const& systems();
system const& system_called(std::string const& name);

/// The training of a system: under which solver, and how it is bound.
struct training_of {
  system const* of;
  dyadic::solver_kind solver;
  std::string name() const {
    if (solver == dyadic::solver_kind::none) return of->name;
    return of->name + (solver == dyadic::solver_kind::jacobi ? ", jacobi" : ", interleaved");
  }
  lengths bound(std::int64_t rows, std::int64_t positions) const {
    if (solver == dyadic::solver_kind::none) return {rows, positions};
    return {rows, positions, 3, solver == dyadic::solver_kind::interleaved ? 2 : 0};
  }
};
/// Every system, and each that feeds back under every solver.
std::vector<training_of> trainings();

}  // namespace test
