// A thread that waits for memory that is not there does not wait for ever.
#include "scripted.hpp"

using namespace scripted;

TEST_CASE("a launch ends after many faults") {
  reset();
  unsigned seen = 0;
  run_launch(request(1, 1, 0, [&](lane& l) {
    while (load<int>(l, space::global, 64, HERE, order::acquire) != 1) ++seen;
  }));
  CHECK(seen == current_options().most_faults - 1);
  REQUIRE(report().find(violation_kind::out_of_bounds));
  CHECK(report().find(violation_kind::out_of_bounds)->count == current_options().most_faults);
  reset();
}
