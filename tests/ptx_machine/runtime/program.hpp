// Modules ready to run: parsed PTX whose variables have memory, and launches of their kernels as operations.
#pragma once
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../launch.hpp"
#include "../module.hpp"
#include "device.hpp"

namespace ptx_machine::runtime {

class program {
 public:
  explicit program(std::string_view ptx, std::string_view name = "module.ptx");
  ptx_module const& module() const { return module_; }
  kernel const& find(std::string_view name) const;   ///< by its name, or by a part of it that only one has; throws naming what there is

 private:
  ptx_module module_;
};

/// "void softmax<float>(float const*, int)" of a mangled symbol; the name itself where it is none.
std::string demangled(std::string const& symbol);

/// Reads a PTX file; throws when there is none.
std::string read_text(std::string const& path);

struct launch_shape {
  extent grid, block;
  std::uint32_t dynamic_shared = 0;
  bool cooperative = false;
};

/// What a launch does when its turn comes. `parameters`: kernel.parameter_bytes bytes.
action launch_of(kernel const&, launch_shape const&, std::vector<std::byte> parameters);

/// The parameters of a kernel from values of their types, in order; throws when sizes or number do not fit.
template <class... Arguments>
std::vector<std::byte> pack(kernel const& k, Arguments const&... arguments) {
  std::vector<std::byte> block(k.parameter_bytes);
  std::size_t i = 0;
  auto put = [&](void const* value, std::size_t size) {
    if (i >= k.parameters.size() || k.parameters[i].size != size)
      throw std::invalid_argument(k.name + ": parameter " + std::to_string(i) + " is not of that size");
    std::memcpy(block.data() + k.parameters[i++].offset, value, size);
  };
  (put(&arguments, sizeof arguments), ...);
  if (i != k.parameters.size()) throw std::invalid_argument(k.name + " has " + std::to_string(k.parameters.size()) + " parameters");
  return block;
}

}  // namespace ptx_machine::runtime
