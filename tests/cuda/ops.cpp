// Every op's case and its gradient on the device: as kernels made from the same signatures as the CPU's.
#include "cuda/ops.hpp"

using namespace dyadic::testing;

TEST_CASE("the device agrees with every op's definition, at one ragged size") { compare_ops(7, 11); }
