// Many more random models through every pass and the engine than the fast tier has time for.
#include <doctest/doctest.h>

#include "support/chain_check.hpp"

TEST_CASE("random models: all passes and the engine keep values and gradients, many") {
  long compared = 0;
  for (unsigned seed = 10001; seed <= 16000; ++seed) {
    constexpr int lengths[] = {0, 1, 2, 3, 4, 5, 7, 11, 13};
    int const length = lengths[seed % 9];
    CAPTURE(seed);
    CAPTURE(length);
    test::choices c(seed);
    test::chain_report const r = test::check_chain(c, seed, length);
    CHECK(r.wrong == "");
    compared += r.compared;
  }
  MESSAGE(compared << " values");
}
