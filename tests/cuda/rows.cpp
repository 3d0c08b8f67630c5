// Norms, softmax and cross-entropy on the device: values, no violation, and the bytes that `cost` says.
#include "cuda/rows.hpp"

using namespace dyadic::testing;

TEST_CASE("rows on the device, at one ragged size of every kernel") {
  compare_rows(9, 37, 1);      // a warp a row
  compare_rows(3, 1031, 2);    // a block a row
}
