// Copies and fills as operations: bounds, races, and which bytes have been written.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "../device_memory.hpp"

namespace ptx_machine::runtime {

/// Where an address of the host's calls is.
enum class place : std::uint8_t { pageable, pinned, managed, device };
place place_of(void const* address);

/// Addresses outside of the machine's memory are the host's own.
void copy(operation const&, void* to, void const* from, std::uint64_t bytes);
void fill(operation const&, void* to, int value, std::uint64_t bytes);
void fill_rows(operation const&, void* to, std::uint64_t pitch, int value, std::uint64_t bytes, std::uint64_t rows);
void copy_rows(operation const&, void* to, std::uint64_t to_pitch, void const* from, std::uint64_t from_pitch, std::uint64_t bytes,
    std::uint64_t rows);

using staged_bytes = std::shared_ptr<std::vector<std::byte> const>;
staged_bytes stage(void const* from, std::uint64_t bytes);

/// The allocation is usable by operations after the one that runs `begin_life`; `end_life` frees it, after all its users.
void begin_life(allocation&, operation const&);
void end_life(allocation&, operation const&);

}  // namespace ptx_machine::runtime
