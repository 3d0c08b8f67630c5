// A strict reader of the JSON that a safetensors header may hold: an object of objects, whose values are strings, lists of
// non-negative integers, or (metadata) strings. Nothing else is accepted, so nothing can nest and nothing recurses.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "dyadic/axes/error.hpp"

namespace dyadic::io::detail {

class header_reader {
 public:
  header_reader(std::string_view text, std::string const& file) : text_(text), file_(file) {}

  [[noreturn]] void fail(std::string const& why) const {
    raise(error_kind::file, file_ + ": header byte " + std::to_string(at_) + ": " + why);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' expected");
  }
  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail("more text after the object");
  }

  /// Calls each(key) for every member; each reads the value.
  template <class F> void object(F each) {
    expect('{');
    if (accept('}')) return;
    do {
      std::string const key = string();
      expect(':');
      each(key);
    } while (accept(','));
    expect('}');
  }
  template <class F> void array(F each) {
    expect('[');
    if (accept(']')) return;
    do each();
    while (accept(','));
    expect(']');
  }

  std::uint64_t number() {
    skip_space();
    if (!digit(peek())) fail("a non-negative integer expected");
    if (peek() == '0' && digit(peek(1))) fail("a number with a leading zero");
    std::uint64_t n = 0;
    for (; digit(peek()); ++at_) {
      auto const d = static_cast<std::uint64_t>(peek() - '0');
      if (n > (UINT64_MAX - d) / 10) fail("a number beyond 64 bits");
      n = n * 10 + d;
    }
    if (peek() == '.' || peek() == 'e' || peek() == 'E') fail("a non-negative integer expected");
    return n;
  }

  std::string string() {
    expect('"');
    std::string out;
    for (;;) {
      if (at_ >= text_.size()) fail("a string that does not end");
      auto const c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') { ++at_; return out; }
      if (c < 0x20) fail("a control character in a string");
      if (c == '\\') { ++at_; escape(out); }
      else if (c < 0x80) { out += text_[at_++]; }
      else utf8(out);
    }
  }

 private:
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  char peek(std::size_t k = 0) const { return at_ + k < text_.size() ? text_[at_ + k] : '\0'; }

  void escape(std::string& out) {
    char const c = peek();
    ++at_;
    switch (c) {
      case '"': case '\\': case '/': out += c; return;
      case 'b': out += '\b'; return;
      case 'f': out += '\f'; return;
      case 'n': out += '\n'; return;
      case 'r': out += '\r'; return;
      case 't': out += '\t'; return;
      case 'u': break;
      default: fail("an unknown escape in a string");
    }
    std::uint32_t code = hex4();
    if (code >= 0xdc00 && code < 0xe000) fail("half of a surrogate pair");
    if (code >= 0xd800 && code < 0xdc00) {
      if (peek() != '\\' || peek(1) != 'u') fail("half of a surrogate pair");
      at_ += 2;
      std::uint32_t const low = hex4();
      if (low < 0xdc00 || low >= 0xe000) fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append(out, code);
  }
  std::uint32_t hex4() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      char const c = peek();
      int const d = digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (d < 0) fail("four hexadecimal digits expected");
      code = code * 16 + static_cast<std::uint32_t>(d);
    }
    return code;
  }
  static void append(std::string& out, std::uint32_t code) {
    auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) put(code);
    else if (code < 0x800) { put(0xc0 | (code >> 6)); put(0x80 | (code & 0x3f)); }
    else if (code < 0x10000) { put(0xe0 | (code >> 12)); put(0x80 | ((code >> 6) & 0x3f)); put(0x80 | (code & 0x3f)); }
    else { put(0xf0 | (code >> 18)); put(0x80 | ((code >> 12) & 0x3f)); put(0x80 | ((code >> 6) & 0x3f)); put(0x80 | (code & 0x3f)); }
  }
  void utf8(std::string& out) {
    auto const lead = static_cast<unsigned char>(text_[at_]);
    int const more = lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0;
    if (more == 0) fail("a byte that is not UTF-8");
    std::uint32_t code = lead & (0x3fu >> more);
    for (int i = 1; i <= more; ++i) {
      auto const c = static_cast<unsigned char>(peek(static_cast<std::size_t>(i)));
      if ((c & 0xc0) != 0x80) fail("a byte that is not UTF-8");
      code = (code << 6) | (c & 0x3fu);
    }
    bool const overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) fail("a byte that is not UTF-8");
    out.append(text_.substr(at_, static_cast<std::size_t>(more) + 1));
    at_ += static_cast<std::size_t>(more) + 1;
  }

  std::string_view text_;
  std::string const& file_;
  std::size_t at_ = 0;
};

}  // namespace dyadic::io::detail
