// Compiled for a wider processor than the rest of the program (see tests/CMakeLists.txt): tensors cross the boundary both ways. Layout,
// alignment and deallocation may not depend on the instruction set of a unit.
#include "wide.hpp"

dyadic::tensor<dyadic::axes<row, column>> make_wide() {
  dyadic::tensor<dyadic::axes<row, column>> x(row{3}, column{5});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i);
  return x;
}
float sum_wide(dyadic::tensor<dyadic::axes<row, column>> x) {
  float s = 0;
  for (float v : x) s += v;
  return s;
}
