// rows.cpp at sizes around warps, blocks, chunks of column sums, and longer ones; and under other schedules.
#include "cuda/rows.hpp"

using namespace dyadic::testing;

TEST_CASE("rows on the device, at sizes around every tile") {
  for (std::int64_t rows : {0, 1, 7, 8, 9, 15, 17, 33})
    for (std::int64_t width : {0, 1, 31, 32, 33, 255, 257}) compare_rows(rows, width, static_cast<unsigned>(rows * 1000 + width));
  for (std::int64_t width : {1023, 1024, 1025, 8191, 8193}) compare_rows(2, width, static_cast<unsigned>(width));
  compare_rows(1031, 3, 5);
}
TEST_CASE("under other schedules, too") {
  for (std::uint64_t seed : {2u, 3u, 4u}) {
    choose_schedule(seed, 7);
    compare_rows(19, 67, 3);
    compare_rows(2, 1033, 4);
  }
  choose_schedule(1, 0);
}
