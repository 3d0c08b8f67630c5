// What a function that can fail at run time does: it throws `error`, or, without exceptions, calls a handler the user set and aborts.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace dyadic {

enum class error_kind {
  shape,     ///< extents disagree, or do not fit
  binding,   ///< a run-time axis has no extent, or one that is negative or already given
  index,     ///< a position outside its axis
  file,      ///< a file that cannot be read, or is not what it claims
  state,     ///< called in the wrong order, or on something that was moved away
  argument   ///< a value outside its documented range
};

constexpr char const* error_name(error_kind k) {
  constexpr char const* names[] = {"shape", "binding", "index", "file", "state", "argument"};
  return names[static_cast<int>(k)];
}

/// The one type this library throws. The message names axes and extents; `kind` is for programs.
class error : public std::runtime_error {
 public:
  error(error_kind k, std::string const& message) : std::runtime_error(message), kind_(k) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
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
[[noreturn]] inline void raise(error_kind kind, std::string const& message) {
#if defined(__cpp_exceptions)
  throw error(kind, message);
#else
  if (error_handler const handler = detail::current_error_handler()) handler(kind, message.c_str());
  else std::fprintf(stderr, "dyadic: %s error: %s\n", error_name(kind), message.c_str());
  std::abort();
#endif
}

}  // namespace dyadic
