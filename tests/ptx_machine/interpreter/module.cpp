// What a parsed module offers.
#include "module.hpp"

#include <cstring>

#include "contents.hpp"
#include "parser.hpp"

namespace ptx_machine {

ptx_module::ptx_module(std::unique_ptr<module_contents> contents) : contents_(std::move(contents)) {}
ptx_module::ptx_module(ptx_module&&) noexcept = default;
ptx_module& ptx_module::operator=(ptx_module&&) noexcept = default;
ptx_module::~ptx_module() = default;

kernel const* ptx_module::find(std::string_view name) const {
  auto const at = contents_->kernel_index.find(name);
  return at == contents_->kernel_index.end() ? nullptr : &contents_->kernels[at->second];
}

variable const* ptx_module::find_variable(std::string_view name) const {
  auto const at = contents_->variable_index.find(name);
  return at == contents_->variable_index.end() ? nullptr : &contents_->variables[at->second];
}

std::vector<kernel const*> ptx_module::kernels() const {
  std::vector<kernel const*> all;
  for (kernel const& k : contents_->kernels) all.push_back(&k);
  return all;
}

std::vector<variable const*> ptx_module::variables() const {
  std::vector<variable const*> all;
  for (variable const& v : contents_->variables) all.push_back(&v);
  return all;
}

std::string const& ptx_module::target() const { return contents_->target; }

void ptx_module::place(std::function<std::uint64_t(variable const&)> const& allocate,
                       std::function<void(std::uint64_t, std::span<std::byte const>)> const& write) {
  module_contents& m = *contents_;
  if (m.placed) throw std::logic_error("ptx_machine: " + m.name + " is placed twice");
  m.placed = true;
  for (variable& v : m.variables) {
    if (!v.size) throw ptx_error(m.name + ": the variable " + v.name + " is declared here and defined nowhere");
    v.address = allocate(v);
    if (v.address % v.alignment) throw std::logic_error("ptx_machine: " + v.name + " is not aligned");
  }
  for (relocation const& r : m.relocations) {
    std::uint64_t const address = (r.target < 0 ? function_addresses + 16 * static_cast<std::uint64_t>(-1 - r.target)
                                                : m.variables[static_cast<std::size_t>(r.target)].address) +
                                  static_cast<std::uint64_t>(r.addend);
    std::memcpy(m.variables[r.variable].initial.data() + r.offset, &address, r.bytes);
  }
  for (variable const& v : m.variables) write(v.address, v.initial);
  for (function& f : m.functions)
    for (address_patch const& p : f.patches) f.image[p.slot] = m.variables[p.variable].address + static_cast<std::uint64_t>(p.addend);
}

ptx_module parse(std::string_view text, std::string_view name) { return ptx_module(module_parser(text, name).parse()); }

}  // namespace ptx_machine
