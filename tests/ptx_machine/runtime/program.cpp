// Variables placed in memory; kernels found and launched.
#include "program.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "../device_memory.hpp"

namespace ptx_machine::runtime {

program::program(std::string_view ptx, std::string_view name) : module_(parse(ptx, name)) {
  module_.place(
      [](variable const& v) {
        allocation* a = device_memory::get().allocate(v.size, v.constant ? memory_kind::constant : memory_kind::device, v.name);
        if (!a) throw std::runtime_error("no memory for the variable " + v.name);
        if (a->start % v.alignment)
          throw std::runtime_error("the variable " + v.name + " wants to be aligned to " + std::to_string(v.alignment) + " bytes");
        return a->start;
      },
      [](std::uint64_t address, std::span<std::byte const> bytes) {
        std::memcpy(device_memory::get().bytes_at(address), bytes.data(), bytes.size());
        std::memset(device_memory::get().written_at(address), 1, bytes.size());
      });
}

kernel const& program::find(std::string_view name) const {
  if (kernel const* k = module_.find(name)) return *k;
  kernel const* found = nullptr;
  std::string all;
  bool ambiguous = false;
  for (kernel const* k : module_.kernels()) {
    all += "\n  " + k->name;
    if (k->name.find(name) == std::string::npos) continue;
    ambiguous = ambiguous || found;
    found = k;
  }
  if (!found || ambiguous)
    throw std::invalid_argument((found ? "several kernels are called " : "no kernel is called ") + std::string(name) + "; there are" + all);
  return *found;
}

std::string demangled(std::string const& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (!text) return symbol;
  std::string const name = text;
  std::free(text);
  return name;
}

std::string read_text(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

action launch_of(kernel const& k, launch_shape const& shape, std::vector<std::byte> parameters) {
  return [&k, shape, parameters = std::move(parameters)](operation const& by) {
    launch_request r;
    r.kernel = demangled(k.name);
    r.grid = shape.grid;
    r.block = shape.block;
    r.static_shared_bytes = k.static_shared_bytes;
    r.dynamic_shared_bytes = shape.dynamic_shared;
    r.cooperative = shape.cooperative;
    r.parameters = parameters;
    r.body = [&](lane& l) { run(l, k, parameters.data()); };
    if (!run_launch(r, by)) device::get().failed = true;
  };
}

}  // namespace ptx_machine::runtime
