// Options as the environment gives them.
#include "options.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace ptx_machine {
namespace {

template <class T>
void from_environment(char const* variable, T& value) {
  char const* text = std::getenv(variable);
  if (!text) return;
  char* end = nullptr;
  errno = 0;
  unsigned long long const number = std::strtoull(text, &end, 10);
  T const kept = static_cast<T>(number);
  if (end == text || *end || errno || *text == '-' || static_cast<unsigned long long>(kept) != number) {
    std::fprintf(stderr, "ptx_machine: %s must be a number, not '%s'\n", variable, text);
    std::_Exit(3);
  }
  value = kept;
}

options make() {
  options o;
  from_environment("DYADIC_PTX_SEED", o.seed);
  from_environment("DYADIC_PTX_PREEMPT", o.preempt);
  from_environment("DYADIC_PTX_RESIDENT", o.resident_blocks);
  from_environment("DYADIC_PTX_RACES", o.races);
  from_environment("DYADIC_PTX_SECTORS", o.sectors);
  from_environment("DYADIC_PTX_MOST_STEPS", o.most_steps);
  return o;
}

}  // namespace

options& current_options() {
  static options o = make();
  return o;
}

}  // namespace ptx_machine
