// Parses a module: what stands outside the bodies of functions.
#pragma once
#include <memory>
#include <string_view>

#include "body.hpp"
#include "contents.hpp"

namespace ptx_machine {

class module_parser {
 public:
  module_parser(std::string_view text, std::string_view name);
  std::unique_ptr<module_contents> parse();

 private:
  void linked();                                   // .visible, .extern, .weak and what they stand before
  void version();
  void target();
  void kernel_or_function(bool entry);
  void parameters(function_builder&, std::vector<parameter>&, char const* end);
  void performance_directives(kernel*);
  void global_variable(bool constant, bool external);
  void initial_value(variable&, std::uint32_t index, declaration const&, std::uint64_t& at);
  void shared_variable(bool external);
  function& function_named(std::string_view name, bool& fresh);
  void check_declaration(function const& before, function const& now, unsigned line);
  void place_shared();

  struct built {
    function* f;
    kernel* k;
    std::vector<shared_patch> patches;
    std::uint32_t shared_bytes, shared_alignment;
    bool uses_common;
    bool indirect;
    std::vector<function const*> callees;
  };

  std::string name_;
  lexer text_;
  file_table files_;
  std::unique_ptr<module_contents> m_;
  symbols symbols_;
  std::vector<built> built_;
  std::uint32_t common_shared_ = 0, common_alignment_ = 16;
};

}  // namespace ptx_machine
