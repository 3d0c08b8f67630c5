// The parts in which the cases of ops are compiled, together.
#include "cuda/device_program.hpp"

namespace dyadic::testing {

void add_op_programs_0(std::vector<device_program>&);
void add_op_programs_1(std::vector<device_program>&);
void add_op_programs_2(std::vector<device_program>&);
void add_op_programs_3(std::vector<device_program>&);

std::vector<device_program> const& op_programs() {
  static std::vector<device_program> const all = [] {
    std::vector<device_program> r;
    add_op_programs_0(r);
    add_op_programs_1(r);
    add_op_programs_2(r);
    add_op_programs_3(r);
    return r;
  }();
  return all;
}

}  // namespace dyadic::testing
