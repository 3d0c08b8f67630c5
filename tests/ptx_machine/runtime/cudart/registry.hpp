// What the program registered before main: images of device code, kernels and variables by their host addresses.
#pragma once
#include "../program.hpp"
#include "common.hpp"

namespace ptx_machine::cudart {

struct image {
  std::vector<std::string> texts;      // PTX for several architectures
  std::string problem;                 // why there are none
  std::unique_ptr<runtime::program> loaded;
  runtime::program& load();            // the architecture DYADIC_PTX_ARCH names, or the highest
};

struct kernel_entry {
  image* in = nullptr;
  std::string name;
  kernel const* code = nullptr;
  int dynamic_limit = 48 << 10;   // raised by cudaFuncSetAttribute
};

struct variable_entry {
  image* in = nullptr;
  std::string name;
  std::size_t size = 0;
  void* address();   // on the device
};

kernel_entry* find_kernel(void const* host);         // loaded; null: not a kernel
variable_entry* find_variable(void const* host);     // null: not a variable

}  // namespace ptx_machine::cudart
