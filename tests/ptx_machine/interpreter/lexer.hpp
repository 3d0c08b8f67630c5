// PTX text as words, numbers, strings and punctuation, each with its line.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "module.hpp"

namespace ptx_machine {

struct token {
  enum class kind : std::uint8_t { end, word, number, string, punctuation };
  kind what = kind::end;
  std::string_view text;   ///< a string without its quotes
  unsigned line = 0;
  bool is(std::string_view s) const { return what != kind::string && text == s; }
};

/// Reads one token ahead. A word is a name, a directive or an opcode with its modifiers: letters, digits, _ $ % . and ::.
class lexer {
 public:
  explicit lexer(std::string_view text, std::string_view module_name) : text_(text), name_(module_name) { advance(); }

  token const& peek() const { return next_; }
  token take();
  bool take_if(std::string_view);            ///< takes the next token where its text is this
  void expect(std::string_view);             ///< an error where the next token is another
  token word(char const* what);              ///< an error where the next token is no word: "expected <what>"
  std::int64_t integer();                    ///< with an optional sign
  void skip_braces();                        ///< from before { to after its }
  [[noreturn]] void fail(std::string const& message, unsigned line = 0) const;   ///< with the line (0: the next token's) and its text

 private:
  void advance();
  void skip_space();

  std::string_view text_, name_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  token next_;
};

/// The value of a number's text: decimal, 0x, 0b, octal with a leading 0; a trailing U is allowed. Throws std::invalid_argument.
std::uint64_t integer_value(std::string_view);

}  // namespace ptx_machine
