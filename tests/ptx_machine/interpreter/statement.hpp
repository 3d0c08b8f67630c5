// One instruction as it stands in the text: its mnemonic in parts and its operands with names resolved.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instruction.hpp"

namespace ptx_machine {

struct operand {
  enum class kind : std::uint8_t { sink, reg, integer, real, symbol, address, vector, list };
  kind what = kind::sink;
  scalar declared = scalar::none;      ///< of a register
  std::uint32_t slot = 0;              ///< of a register
  bool negated = false;                ///< !p
  std::uint64_t bits = 0;              ///< of an integer, two's complement; of a 0f or 0d number, its bits
  unsigned real_bits = 0;              ///< 32: 0f..., 64: 0d...; 0: a decimal number
  double decimal = 0;
  std::string_view name;               ///< of a symbol, label or function
  std::int64_t offset = 0;             ///< added to a symbol or address
  std::vector<operand> parts;          ///< of a vector or list; of an address, the one register or symbol (none: absolute)
  std::vector<operand> second;         ///< what follows | : setp's second predicate
};

struct statement {
  std::string_view mnemonic;
  std::vector<std::string_view> parts;   ///< the mnemonic split at its dots
  std::vector<operand> operands;
  unsigned line = 0;
  std::uint32_t guard = 0;
  bool guard_negated = false;
};

}  // namespace ptx_machine
