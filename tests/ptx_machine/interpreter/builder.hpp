// A function while its body is parsed: names in their scopes, slots of registers and constants, memory it declares, labels.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contents.hpp"
#include "lexer.hpp"
#include "statement.hpp"

namespace ptx_machine {

/// What a name that is no register stands for.
struct symbol {
  enum class kind : std::uint8_t { variable, param, local, shared, dynamic_shared, function, prototype, none };
  kind what = kind::none;
  std::uint64_t index = 0;     ///< of a variable or function; otherwise the offset
  std::uint32_t size = 0;      ///< bytes, of a param
  bool common = false;         ///< shared memory that several functions may name
  bool constant = false;       ///< a variable in .const
};
using symbols = std::map<std::string, symbol, std::less<>>;

/// A slot that holds an address in shared memory: known when the whole module is.
struct shared_patch {
  std::uint32_t slot;
  bool common;
  std::int64_t offset;
};

class function_builder {
 public:
  function_builder(function& f, symbols const& of_module, module_contents const& m, lexer const& text);

  // Scopes of { }.
  void open();
  void close(unsigned line);

  void declare_register(std::string_view name, scalar, unsigned line);
  void declare(std::string_view name, symbol, unsigned line);
  operand const* find_register(std::string_view name) const;   ///< nullptr where there is none
  symbol find(std::string_view name) const;                    ///< of kind none where there is none

  std::uint32_t constant(std::uint64_t bits);
  std::uint32_t entry_slot(special, std::int64_t addend = 0);
  std::uint32_t symbol_slot(symbol const&, std::int64_t addend);   ///< its address (of a param: its offset in the block)
  std::uint32_t new_slot(std::uint64_t initially);

  std::uint32_t add_parameter(std::uint32_t size, std::uint32_t alignment);   ///< its offset in the block
  std::uint32_t add_local(std::uint32_t size, std::uint32_t alignment);
  std::uint32_t add_shared(std::uint32_t size, std::uint32_t alignment);

  // Labels. A reference is an instruction whose value becomes the distance to the label, or an entry of a table.
  void label(std::string_view name, unsigned line);
  void jump_from(std::uint32_t instruction, std::string_view label, unsigned line);
  std::uint32_t branch_table(std::string_view name);           ///< its index, perhaps not filled yet
  void fill_table(std::string_view name, std::vector<std::string_view> const& labels, unsigned line);
  void finish(unsigned line);                                  ///< resolves what is left, or fails

  function& f;
  module_contents const& module_of;
  lexer const& text;
  std::vector<shared_patch> shared_patches;
  std::uint32_t shared_bytes = 0, shared_alignment = 16;
  bool uses_common_shared = false, calls_anything = false;
  std::vector<function const*> callees;

 private:
  struct reference { std::string_view label; std::uint32_t at; std::int32_t table; unsigned line; };   // table -1: an instruction
  struct scope_names {
    std::map<std::string, operand, std::less<>> registers;
    symbols names;
    std::map<std::string, std::uint32_t, std::less<>> labels;
    std::vector<reference> references;
  };
  void resolve(scope_names&, std::vector<reference>& left);

  symbols const& of_module_;
  std::vector<scope_names> scopes_;
  std::map<std::uint64_t, std::uint32_t> constants_;
  std::map<std::pair<special, std::int64_t>, std::uint32_t> entry_slots_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t> variable_slots_, shared_slots_;
  std::map<std::string, std::uint32_t, std::less<>> tables_;
};

}  // namespace ptx_machine
