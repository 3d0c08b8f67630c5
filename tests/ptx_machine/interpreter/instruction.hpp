// Decoded instructions and the frame they run in.
//
// Every operand is a slot of the frame's registers: constants, special registers and addresses have slots too, filled when a function is
// entered. A register holds the bits of its declared width, zeros above them.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "formats.hpp"
#include "lane.hpp"
#include "module.hpp"
#include "types.hpp"

namespace ptx_machine {

struct instruction;
struct frame;
/// Executes one instruction and returns the next one, or nullptr to leave the function.
using handler = instruction const* (*)(frame&, instruction const&);

/// Bits of instruction::flags that arithmetic shares.
namespace flag {
inline constexpr std::uint16_t ftz = 8, saturate = 16, relu = 32, nan = 64, xor_sign = 128, absolute = 256, finite = 512;
inline constexpr std::uint16_t rounding_mask = 7;   // a rounding, in the low bits
}  // namespace flag

inline constexpr std::uint32_t no_slot = 0xffffffffu;   // an operand written _

struct instruction {
  handler execute = nullptr;
  std::uint32_t guard = 0;        ///< slot 0 always holds 1
  std::uint8_t skip_when = 0;     ///< the value of the guard with which nothing happens
  std::uint8_t count = 1;         ///< elements of a vector
  std::uint16_t flags = 0;
  std::uint32_t d = no_slot, a = no_slot, b = no_slot, c = no_slot;
  std::uint32_t list = 0;         ///< where this instruction's slots begin in function::lists, or an entry of a table of the function's
  site at;
  std::int64_t value = 0;         ///< an offset, a target, a table index: the opcode's affair
  rounding mode() const { return static_cast<rounding>(flags & flag::rounding_mask); }
};

enum class special : std::uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z, laneid, warpid, nwarpid,
  lanemask_eq, lanemask_lt, lanemask_le, lanemask_gt, lanemask_ge, smid, nsmid, gridid, dynamic_smem_size, total_smem_size, clock, clock_hi,
  clock64, globaltimer, globaltimer_lo, globaltimer_hi, envreg1, envreg2, zero, one,
  dynamic_shared, local_base   // not registers of PTX: addresses that depend on the launch and on the frame
};

/// A slot that gets its value when the function is entered.
struct entry_value {
  std::uint32_t slot;
  special what;
  std::int64_t addend = 0;
};

/// A constant slot that holds a variable's address, once that is known.
struct address_patch {
  std::uint32_t slot;
  std::uint32_t variable;
  std::int64_t addend;
};

/// A call: where its arguments lie in the caller's block of parameters. Offsets and sizes in the callee's come from its declaration.
struct call_site {
  function const* target = nullptr;          ///< nullptr: through a register
  std::vector<std::uint32_t> sources, results;   ///< offsets
  std::vector<std::uint32_t> source_sizes, result_sizes;
};

struct function {
  std::string name;
  bool defined = false, entry = false;
  std::vector<instruction> code;
  std::vector<std::uint32_t> lists;
  std::vector<std::uint64_t> image;           ///< registers at entry: constants, and a pattern in those the code must write first
  std::vector<entry_value> entry_values;
  std::vector<address_patch> patches;
  std::vector<call_site> calls;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<parameter> results, inputs;     ///< offsets in this function's own block of parameters
  std::uint32_t parameter_bytes = 0;          ///< of the block: results, inputs and the .param variables of the body
  std::uint32_t local_bytes = 0, local_alignment = 16;
  std::vector<function const*> const* table = nullptr;   ///< all functions of the module: what an address of one indexes
};

/// Addresses of functions are this, plus 16 times their index: nothing else has such an address.
inline constexpr std::uint64_t function_addresses = std::uint64_t(0x7c0de) << 40;

/// What all frames of a thread have in common.
struct thread_context {
  lane& here;
  kernel const& launched;
  unsigned depth = 0;
};

struct frame {
  std::uint64_t* r;
  lane& here;
  function const& code;
  thread_context& context;
  std::byte* parameters;          // this function's block
  std::uint64_t local_base;       // where its .local variables begin
  bool carry = false;             // CC.CF
};

/// What stands after the last instruction of a function: running into it is an error.
extern handler const end_of_code;

/// Runs a function to its end in a frame of its own. `enter` fills its inputs, `leave` reads its results.
void run_function(thread_context&, function const&, void (*enter)(frame&, void*), void (*leave)(frame&, void*), void* with);

template <class T> T get(frame const& f, std::uint32_t slot) {
  if constexpr (std::is_same_v<T, bool>) return f.r[slot] != 0;
  else {
    T value;
    std::memcpy(&value, &f.r[slot], sizeof value);   // little-endian: the low bytes
    return value;
  }
}

template <class T> void put(frame& f, std::uint32_t slot, T value) {
  if constexpr (std::is_same_v<T, bool>) f.r[slot] = value;
  else {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    f.r[slot] = bits;
  }
}

}  // namespace ptx_machine
