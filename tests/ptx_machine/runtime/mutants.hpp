// Mutants of a kernel's PTX: does anybody notice a missing barrier, a lost wait, an address or a bound that is off by one?
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"

namespace ptx_machine::runtime {

struct mutant {
  std::string change;        ///< "without", "address moved", "bound off by one"
  std::string instruction;   ///< as it was
  std::string place;         ///< "matmul.cu:11", of the innermost line
  std::string key;           ///< the same for every build of the kernel: kind, place, and which of those at the place
  std::string ptx;           ///< the whole module, changed
};

/// Every mutant of one kernel: each barrier of a block or a warp and each cp.async wait left out; each address of a memory access moved by
/// the access's size; each comparison with an order (lt, le, gt, ge) changed to its neighbour.
std::vector<mutant> mutants_of(std::string_view ptx, std::string_view kernel_name);

struct verdict {
  mutant what;
  std::string killed_by;   ///< a kind of violation, "values", "refused" (it does not parse or launch); empty: it survived
};

/// Runs every mutant under a few schedules. `right(program)` launches, waits, and says whether the values are right; it must hold for the
/// kernel as it is.
std::vector<verdict> judge_mutants(std::string_view ptx, std::string_view kernel_name, std::function<bool(program const&)> const& right);

/// What a file says of survivors: lines "kernel | key | reason"; lines that begin with # say nothing. A key may end in * for all that begin
/// so: the reason then holds for those of them that survive.
struct known_survivor {
  std::string kernel, key, reason;
};
std::vector<known_survivor> read_survivors(std::string const& path);

/// What differs between verdicts and the file, one line each: a survivor without a reason, a reason for mutants that are all
/// killed or gone.
std::vector<std::string> unexplained(std::string const& kernel, std::vector<verdict> const&, std::vector<known_survivor> const&);

std::string to_string(std::string const& kernel, std::vector<verdict> const&);

}  // namespace ptx_machine::runtime
