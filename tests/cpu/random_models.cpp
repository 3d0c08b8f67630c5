// Random models through every pass and the engine, at lengths from 0 to a few primes: values and gradients against the definition.
#include <doctest/doctest.h>

#include "support/chain_check.hpp"

TEST_CASE("random models: all passes and the engine keep values and gradients") {
  test::chain_report all;
  int models = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    constexpr int lengths[] = {0, 1, 2, 3, 4, 5, 7, 11};
    int const length = lengths[seed % 8];
    CAPTURE(seed);
    CAPTURE(length);
    test::choices c(seed);
    test::chain_report const r = test::check_chain(c, seed, length);
    CHECK(r.wrong == "");
    all.tiled += r.tiled; all.streamed += r.streamed; all.solved += r.solved; all.gradients += r.gradients; all.groups += r.groups; all.compared += r.compared;
    ++models;
  }
  CHECK(all.tiled > models);
  CHECK(all.streamed > models / 5);
  CHECK(all.solved > models / 10);
  CHECK(all.gradients > 10 * models);
  CHECK(all.groups > 10 * models);
  MESSAGE(models << " models, " << all.compared << " values, " << all.tiled << " tiled folds, " << all.groups << " groups, " << all.streamed << " streamed, "
                 << all.solved << " solved");
}
