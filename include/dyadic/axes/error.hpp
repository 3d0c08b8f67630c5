// What a function that can fail at run time does: it throws `error`, or, without exceptions, calls a handler the user set and aborts.
// No <string>: this is included by every public header, and <string> alone would cost most of what they may take to compile.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <type_traits>

namespace dyadic {

enum class error_kind {
  shape,     ///< extents disagree, or do not fit
  binding,   ///< a run-time axis has no extent, or one that is negative or already given
  index,     ///< a position outside its axis
  file,      ///< a file that cannot be read, or is not what it claims
  state,     ///< called in the wrong order, or on something that was moved away
  argument,  ///< a value outside its documented range
  device     ///< an accelerator that is missing, or that reports an error
};

constexpr char const* error_name(error_kind k) {
  constexpr char const* names[] = {"shape", "binding", "index", "file", "state", "argument", "device"};
  return names[static_cast<int>(k)];
}

/// A line of text under construction: `message() << "axis " << name << " is " << 3`. What exceeds its room is cut off.
class message {
 public:
  constexpr message() = default;
  constexpr message& operator<<(char c) {
    if (size_ + 1 < room) { text_[size_++] = c; text_[size_] = 0; }
    return *this;
  }
  constexpr message& operator<<(char const* s) {
    for (; s && *s; ++s) *this << *s;
    return *this;
  }
  template <class S> requires requires(S const& s) { s.c_str(); } constexpr message& operator<<(S const& s) { return *this << s.c_str(); }
  /// Any integer.
  template <class Number> requires std::is_integral_v<Number> constexpr message& operator<<(Number n) {
    char digits[24]{};
    int k = 0;
    bool negative = false;
    if constexpr (std::is_signed_v<Number>) negative = n < 0;
    std::uint64_t u = static_cast<std::uint64_t>(n);
    if (negative) u = ~u + 1;
    do { digits[k++] = static_cast<char>('0' + u % 10); } while (u /= 10);
    if (negative) *this << '-';
    while (k) *this << digits[--k];
    return *this;
  }
  /// `size` characters at s.
  constexpr message& add(char const* s, int size) {
    for (int i = 0; i < size; ++i) *this << s[i];
    return *this;
  }
  constexpr char const* c_str() const { return text_; }

 private:
  static constexpr int room = 1024;
  char text_[room]{};
  int size_ = 0;
};

/// The one type this library throws. The message names axes and extents; `kind` is for programs.
class error : public std::exception {
 public:
  error(error_kind k, message const& m) noexcept : kind_(k), message_(m) {}
  error_kind kind() const noexcept { return kind_; }
  char const* what() const noexcept override { return message_.c_str(); }

 private:
  error_kind kind_;
  message message_;
};

/// What raise() calls in a build without exceptions, before it aborts. It may leave by longjmp; returning means abort.
using error_handler = void (*)(error_kind, char const* message);

namespace detail {
inline error_handler& current_error_handler() {
  static error_handler handler = nullptr;
  return handler;
}
}  // namespace detail

/// Sets the handler and returns the one before. nullptr (the default) prints the message to stderr. Set it before threads start.
inline error_handler set_error_handler(error_handler handler) {
  error_handler const before = detail::current_error_handler();
  detail::current_error_handler() = handler;
  return before;
}

/// Reports an error at run time. State is unchanged after a failure: callers check before they write.
[[noreturn]] inline void raise(error_kind kind, message const& m) {
#if defined(__cpp_exceptions)
  throw error(kind, m);
#else
  if (error_handler const handler = detail::current_error_handler()) handler(kind, m.c_str());
  else std::fprintf(stderr, "dyadic: %s error: %s\n", error_name(kind), m.c_str());
  std::abort();
#endif
}
[[noreturn]] inline void raise(error_kind kind, char const* text) { raise(kind, message() << text); }
/// text: a std::string.
template <class S> requires requires(S const& s) { s.c_str(); s.size(); } [[noreturn]] void raise(error_kind kind, S const& text) {
  raise(kind, text.c_str());
}

}  // namespace dyadic
