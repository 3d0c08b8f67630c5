// Each group of opcodes adds itself to the table.
#pragma once

namespace ptx_machine {

class opcode_table;

void add_integer(opcode_table&);
void add_integer_products(opcode_table&);
void add_carry_chains(opcode_table&);
void add_logic(opcode_table&);
void add_bit_fields(opcode_table&);
void add_floating_point(opcode_table&);
void add_functions(opcode_table&);
void add_halves(opcode_table&);
void add_comparisons(opcode_table&);
void add_conversions(opcode_table&);
void add_moves(opcode_table&);
void add_memory(opcode_table&);
void add_addresses(opcode_table&);
void add_atomics(opcode_table&);
void add_barriers(opcode_table&);
void add_warps(opcode_table&);
void add_reductions(opcode_table&);
void add_matrix_loads(opcode_table&);
void add_matrix_products(opcode_table&);
void add_async_copies(opcode_table&);
void add_control(opcode_table&);
void add_calls(opcode_table&);

}  // namespace ptx_machine
