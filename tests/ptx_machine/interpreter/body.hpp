// Parses the body of one function: declarations, labels, instructions.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "builder.hpp"
#include "decoder.hpp"
#include "lexer.hpp"

namespace ptx_machine {

/// The files of .file, by number; they may stand at the end of the text.
using file_table = std::map<std::int64_t, std::string>;
file_table files_of(std::string_view text);

/// What .align 8 .b8 name[16] declares.
struct declaration {
  std::string_view name;
  scalar type = scalar::none;
  std::uint64_t size = 0;        ///< bytes; 0 for name[]
  std::uint32_t alignment = 1;
  bool array = false;
  unsigned line = 0;
};
/// Reads from after the state space to after the name and its dimensions.
declaration read_declaration(lexer&);

class body_parser {
 public:
  body_parser(lexer& text, function_builder& builder, file_table const& files, std::string_view module_name)
      : text_(text), b_(builder), files_(files), module_name_(module_name) {}
  void parse();   ///< from before the body's { to after its }

 private:
  using position = std::tuple<std::int64_t, std::int64_t, std::int64_t>;   // file, line, column
  void directive();
  void line_information();
  void registers();
  void memory(std::string_view space);
  void after_label(token const& name);
  void instruction_from(token const& first);
  operand read_operand();
  operand read_word(token const&);
  operand read_number(bool negative);
  operand read_address();
  site here();

  lexer& text_;
  function_builder& b_;
  file_table const& files_;
  std::string_view module_name_;
  position at_{0, 0, 0}, called_from_{0, 0, 0};
  std::map<position, position> call_sites_;   // of what is inlined: the place of a call, and from where the function around it was called
  unsigned line_ = 0;
};

}  // namespace ptx_machine
