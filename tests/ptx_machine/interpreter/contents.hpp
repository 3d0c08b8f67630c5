// All that a module owns.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "instruction.hpp"

namespace ptx_machine {

/// Bytes of a variable that are an address: of a variable, or of a function.
struct relocation {
  std::uint32_t variable;    ///< in which
  std::uint64_t offset;
  unsigned bytes;
  std::int64_t target;       ///< an index of a variable; -1 - index for a function
  std::int64_t addend;
};

struct module_contents {
  std::string name, target;
  std::deque<kernel> kernels;                             // deques: pointers to what they hold stay good
  std::deque<function> functions;
  std::vector<function const*> table;                     // functions by index
  std::deque<variable> variables;
  std::vector<relocation> relocations;
  std::map<std::string, std::uint32_t, std::less<>> kernel_index, function_index, variable_index;
  bool placed = false;
};

}  // namespace ptx_machine
