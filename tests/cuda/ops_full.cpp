// ops.cpp at more sizes, and under schedules that change threads in the middle of things.
#include "cuda/ops.hpp"

using namespace dyadic::testing;

TEST_CASE("the device agrees with every op's definition, at sizes around its teams and blocks") {
  // Seeds without rows whose three numbers nearly agree: their norm has few digits in float.
  for (int n : {0, 1, 2, 31, 32, 33, 86}) compare_ops(n, 100u + static_cast<unsigned>(n));
}
TEST_CASE("under other schedules, too") {
  for (std::uint64_t seed : {2u, 3u, 4u}) {
    choose_schedule(seed, 5);
    compare_ops(17, 23);
  }
  choose_schedule(1, 0);
}
