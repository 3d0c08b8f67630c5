// The table of all opcodes.
#include "interpreter/decoder.hpp"
#include "opcodes/groups.hpp"

namespace ptx_machine {

opcode_table const& opcodes() {
  static opcode_table const all = [] {
    opcode_table t;
    for (auto* add : {add_integer,         add_integer_products, add_carry_chains, add_logic,       add_bit_fields, add_floating_point,
                      add_functions,       add_halves,           add_comparisons,  add_conversions, add_moves,      add_memory,
                      add_addresses,       add_atomics,          add_barriers,     add_warps,       add_reductions, add_matrix_loads,
                      add_matrix_products, add_async_copies,     add_control,      add_calls})
      add(t);
    return t;
  }();
  return all;
}

}  // namespace ptx_machine
