// printf on the device: a format string and a block of arguments in memory.
#pragma once
#include <cstdint>
#include <string>

#include "lane.hpp"

namespace ptx_machine {

/// The text up to its 0 at a generic address.
std::string string_from(lane&, std::uint64_t address, site);

/// What vprintf(format, arguments) prints. Arguments follow one another, each at a multiple of its size: 4 bytes for int, 8 for long,
/// pointers and double. An unknown conversion is printed as it stands.
std::string format_from(lane&, std::uint64_t format, std::uint64_t arguments, site);

}  // namespace ptx_machine
