// Places in a kernel: what a violation names, and what tells two instructions of a warp apart.
#pragma once
#include <cstdint>
#include <string>

namespace ptx_machine {

/// One PTX instruction. Every instruction that touches memory or synchronises has a site of its own: sectors and bank conflicts are
/// counted per warp and site. Site 0 is a place nobody described.
struct site {
  std::uint32_t index = 0;
  friend bool operator==(site, site) = default;
};

struct source_line {
  std::string file;        ///< of the kernel's source, from .loc; empty where the PTX carries no line information
  unsigned line = 0;
  unsigned ptx_line = 0;   ///< in the PTX text, from 1
  std::string function;    ///< demangled or not, as the caller likes
  std::string callers;     ///< of an inlined line: "kernel.cu:41, kernel.cu:60", the innermost call first
};

site add_site(source_line);
source_line const& source_of(site);

/// "kernel.cu:41 (ptx 310)"; of a line inlined from a header "sm_30_intrinsics.hpp:110 < kernel.cu:41 (ptx 310)"; "ptx 310" without line
/// information.
std::string where(site);

}  // namespace ptx_machine
