// Splitting PTX text into tokens.
#include "lexer.hpp"

#include <algorithm>
#include <charconv>

namespace ptx_machine {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}
}  // namespace

void lexer::skip_space() {
  while (at_ < text_.size()) {
    char const c = text_[at_];
    std::string_view const rest = text_.substr(at_);
    if (c == '\n') ++line_;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') ++at_;
    else if (rest.starts_with("//")) at_ = std::min(text_.find('\n', at_), text_.size());
    else if (rest.starts_with("/*")) {
      std::size_t const end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail("a comment has no end", line_);
      line_ += static_cast<unsigned>(
          std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at_ = end + 2;
    } else return;
  }
}

void lexer::advance() {
  skip_space();
  next_ = {token::kind::end, {}, line_};
  if (at_ == text_.size() || text_[at_] == '\0') return;   // texts embedded in a binary may carry zeros at their end
  std::size_t const begin = at_;
  char const c = text_[at_];
  if (c == '"') {
    std::size_t const end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) fail("a string has no end", line_);
    next_.what = token::kind::string;
    next_.text = text_.substr(begin + 1, end - begin - 1);
    at_ = end + 1;
    return;
  }
  if (is_digit(c)) {
    next_.what = token::kind::number;
    while (at_ < text_.size()) {
      char const before = text_[at_ - (at_ > begin)], here = text_[at_];
      bool const exponent = (here == '-' || here == '+') && (before == 'e' || before == 'E') && text_[begin + 1] != 'x' &&
                            text_[begin + 1] != 'f' && text_[begin + 1] != 'd';
      if (!in_word(here) && !exponent) break;
      ++at_;
    }
  } else if (in_word(c)) {
    next_.what = token::kind::word;
    while (at_ < text_.size()) {
      if (c == '.' && text_[at_] == '.' && at_ > begin) break;   // .reg.b32 is two directives
      if (in_word(text_[at_])) ++at_;
      else if (text_[at_] == ':' && text_.substr(at_, 2) == "::") at_ += 2;
      else break;
    }
  } else {
    next_.what = token::kind::punctuation;
    ++at_;
  }
  next_.text = text_.substr(begin, at_ - begin);
}

token lexer::take() {
  token const t = next_;
  if (t.what == token::kind::end) fail("the text ends too early");
  advance();
  return t;
}

bool lexer::take_if(std::string_view s) {
  if (!next_.is(s) || next_.what == token::kind::end) return false;
  advance();
  return true;
}

void lexer::expect(std::string_view s) {
  if (!take_if(s)) fail("expected '" + std::string(s) + "' before '" + std::string(next_.text) + "'");
}

token lexer::word(char const* what) {
  if (next_.what != token::kind::word) fail(std::string("expected ") + what + " before '" + std::string(next_.text) + "'");
  return take();
}

std::int64_t lexer::integer() {
  bool const negative = take_if("-");
  if (next_.what != token::kind::number) fail("expected a whole number before '" + std::string(next_.text) + "'");
  try {
    auto const value = static_cast<std::int64_t>(integer_value(next_.text));
    advance();
    return negative ? -value : value;
  } catch (std::invalid_argument const&) { fail("'" + std::string(next_.text) + "' is no whole number"); }
}

void lexer::skip_braces() {
  expect("{");
  for (int depth = 1; depth;) {
    token const t = take();
    if (t.is("{")) ++depth;
    if (t.is("}")) --depth;
  }
}

void lexer::fail(std::string const& message, unsigned line) const {
  if (!line) line = next_.line;
  std::size_t begin = 0;
  for (unsigned i = 1; i < line && begin < text_.size(); ++i) {
    std::size_t const end = text_.find('\n', begin);
    begin = end == std::string_view::npos ? text_.size() : end + 1;
  }
  std::string_view content = text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  content.remove_prefix(std::min(content.find_first_not_of(" \t"), content.size()));
  throw ptx_error(std::string(name_) + ':' + std::to_string(line) + ": " + message + "\n  " + std::string(content));
}

std::uint64_t integer_value(std::string_view s) {
  if (!s.empty() && (s.back() == 'U' || s.back() == 'u')) s.remove_suffix(1);
  int base = 10;
  if (s.starts_with("0x") || s.starts_with("0X")) base = 16, s.remove_prefix(2);
  else if (s.starts_with("0b") || s.starts_with("0B")) base = 2, s.remove_prefix(2);
  else if (s.size() > 1 && s[0] == '0') base = 8, s.remove_prefix(1);
  std::uint64_t value = 0;
  auto const r = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (r.ec != std::errc{} || r.ptr != s.data() + s.size()) throw std::invalid_argument("number");
  return value;
}

}  // namespace ptx_machine
