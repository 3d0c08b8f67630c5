// The table of places.
#include "site.hpp"

#include <deque>
#include <stdexcept>

namespace ptx_machine {
namespace {

std::deque<source_line>& table() {   // a deque: references stay good while it grows
  static auto* lines = new std::deque<source_line>(1);   // never destroyed: reports are printed at exit
  return *lines;
}

}  // namespace

site add_site(source_line line) {
  table().push_back(std::move(line));
  return {static_cast<std::uint32_t>(table().size() - 1)};
}

source_line const& source_of(site at) {
  if (at.index >= table().size()) throw std::out_of_range("ptx_machine: a site that was never added");
  return table()[at.index];
}

std::string where(site at) {
  source_line const& s = source_of(at);
  if (!s.file.empty()) {
    std::string place = s.file.substr(s.file.rfind('/') + 1) + ':' + std::to_string(s.line);
    if (!s.callers.empty()) place += " < " + s.callers;
    return s.ptx_line ? place + " (ptx " + std::to_string(s.ptx_line) + ')' : place;
  }
  if (s.ptx_line) return "ptx " + std::to_string(s.ptx_line);
  return s.function.empty() ? "an unknown place" : s.function;
}

}  // namespace ptx_machine
