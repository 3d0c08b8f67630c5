// Names, slots and labels of a function under construction.
#include "builder.hpp"

#include <algorithm>

namespace ptx_machine {
namespace {
std::uint32_t place(std::uint32_t& top, std::uint32_t size, std::uint32_t alignment) {
  std::uint32_t const offset = (top + alignment - 1) / alignment * alignment;
  top = offset + size;
  return offset;
}
/// What a register holds until the code writes it: as a float, a NaN.
constexpr std::uint64_t unwritten = 0xffffdeadffffdeadull;
}  // namespace

function_builder::function_builder(function& fn, symbols const& of_module, module_contents const& m, lexer const& source)
    : f(fn), module_of(m), text(source), of_module_(of_module) {
  f.image.push_back(1);   // slot 0, the guard of every instruction without one
  constants_[1] = 0;
  scopes_.emplace_back();
}

void function_builder::open() { scopes_.emplace_back(); }

void function_builder::close(unsigned line) {
  if (scopes_.size() == 1) text.fail("a } too many", line);
  std::vector<reference> left;
  resolve(scopes_.back(), left);
  scopes_.pop_back();
  auto& outer = scopes_.back().references;
  outer.insert(outer.end(), left.begin(), left.end());
}

void function_builder::declare_register(std::string_view name, scalar type, unsigned line) {
  operand o;
  o.what = operand::kind::reg;
  o.declared = type;
  unsigned const bits = bits_of(type);
  o.slot = new_slot(bits == 64 ? unwritten : unwritten & ((std::uint64_t(1) << bits) - 1));
  if (!scopes_.back().registers.emplace(name, o).second) text.fail("the register " + std::string(name) + " is declared twice", line);
}

void function_builder::declare(std::string_view name, symbol s, unsigned line) {
  if (!scopes_.back().names.emplace(name, s).second) text.fail(std::string(name) + " is declared twice", line);
}

operand const* function_builder::find_register(std::string_view name) const {
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
    if (auto const found = s->registers.find(name); found != s->registers.end()) return &found->second;
  return nullptr;
}

symbol function_builder::find(std::string_view name) const {
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
    if (auto const found = s->names.find(name); found != s->names.end()) return found->second;
  auto const found = of_module_.find(name);
  return found == of_module_.end() ? symbol{} : found->second;
}

std::uint32_t function_builder::new_slot(std::uint64_t initially) {
  f.image.push_back(initially);
  return static_cast<std::uint32_t>(f.image.size() - 1);
}

std::uint32_t function_builder::constant(std::uint64_t bits) {
  auto const [at, fresh] = constants_.try_emplace(bits, 0);
  if (fresh) at->second = new_slot(bits);
  return at->second;
}

std::uint32_t function_builder::entry_slot(special what, std::int64_t addend) {
  auto const [at, fresh] = entry_slots_.try_emplace({what, addend}, 0);
  if (fresh) {
    at->second = new_slot(0);
    f.entry_values.push_back({at->second, what, addend});
  }
  return at->second;
}

std::uint32_t function_builder::symbol_slot(symbol const& s, std::int64_t addend) {
  switch (s.what) {
    case symbol::kind::param: return constant(s.index + static_cast<std::uint64_t>(addend));
    case symbol::kind::local: return entry_slot(special::local_base, static_cast<std::int64_t>(s.index) + addend);
    case symbol::kind::dynamic_shared: return entry_slot(special::dynamic_shared, addend);
    case symbol::kind::function: return constant(function_addresses + 16 * s.index + static_cast<std::uint64_t>(addend));
    case symbol::kind::variable: {
      auto const [at, fresh] = variable_slots_.try_emplace({s.index, addend}, 0);
      if (fresh) {
        at->second = new_slot(0);
        f.patches.push_back({at->second, static_cast<std::uint32_t>(s.index), addend});
      }
      return at->second;
    }
    case symbol::kind::shared: {
      uses_common_shared = uses_common_shared || s.common;
      auto const [at, fresh] = shared_slots_.try_emplace({s.common, static_cast<std::int64_t>(s.index) + addend}, 0);
      if (fresh) {
        at->second = new_slot(0);
        shared_patches.push_back({at->second, s.common, static_cast<std::int64_t>(s.index) + addend});
      }
      return at->second;
    }
    case symbol::kind::prototype: case symbol::kind::none: break;
  }
  return no_slot;
}

std::uint32_t function_builder::add_parameter(std::uint32_t size, std::uint32_t alignment) {
  return place(f.parameter_bytes, size, alignment);
}
std::uint32_t function_builder::add_local(std::uint32_t size, std::uint32_t alignment) {
  f.local_alignment = std::max(f.local_alignment, alignment);
  return place(f.local_bytes, size, alignment);
}
std::uint32_t function_builder::add_shared(std::uint32_t size, std::uint32_t alignment) {
  shared_alignment = std::max(shared_alignment, alignment);
  return place(shared_bytes, size, alignment);
}

void function_builder::label(std::string_view name, unsigned line) {
  if (!scopes_.back().labels.emplace(name, static_cast<std::uint32_t>(f.code.size())).second)
    text.fail("the label " + std::string(name) + " stands twice", line);
}

void function_builder::jump_from(std::uint32_t instruction, std::string_view name, unsigned line) {
  scopes_.back().references.push_back({name, instruction, -1, line});
}

std::uint32_t function_builder::branch_table(std::string_view name) {
  auto const [at, fresh] = tables_.try_emplace(std::string(name), static_cast<std::uint32_t>(f.branch_tables.size()));
  if (fresh) f.branch_tables.emplace_back();
  return at->second;
}

void function_builder::fill_table(std::string_view name, std::vector<std::string_view> const& labels, unsigned line) {
  std::uint32_t const table = branch_table(name);
  if (!f.branch_tables[table].empty()) text.fail("the label " + std::string(name) + " stands twice", line);
  f.branch_tables[table].resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    scopes_.back().references.push_back({labels[i], static_cast<std::uint32_t>(i), static_cast<std::int32_t>(table), line});
}

void function_builder::resolve(scope_names& s, std::vector<reference>& left) {
  for (reference const& r : s.references) {
    auto const found = s.labels.find(r.label);
    if (found == s.labels.end()) left.push_back(r);
    else if (r.table < 0) f.code[r.at].value = std::int64_t(found->second) - std::int64_t(r.at);
    else f.branch_tables[static_cast<std::size_t>(r.table)][r.at] = found->second;
  }
}

void function_builder::finish(unsigned line) {
  if (scopes_.size() != 1) text.fail("a { has no }", line);
  std::vector<reference> left;
  resolve(scopes_.back(), left);
  if (!left.empty()) text.fail("there is no label " + std::string(left.front().label), left.front().line);
  for (auto const& [name, table] : tables_)
    if (f.branch_tables[table].empty()) text.fail("there is no .branchtargets " + name, line);
}

}  // namespace ptx_machine
