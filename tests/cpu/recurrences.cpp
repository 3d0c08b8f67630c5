// Recurrences and folds with their derivatives: the engine under the arranged plan, with and without tiles, against the definition.
#include <doctest/doctest.h>

#include <string>

#include "cpu/engine_check.hpp"
#include "support/recurrence_cases.hpp"

using namespace dyadic;
using namespace dyadic::testing;

TEST_CASE("the engine agrees with the definition of every recurrence, tiled or not") {
  int tiled = 0;
  for (recurrence_case const& c : recurrence_cases) {
    for (int n : {0, 1, 2, 3, 7, 16, 17}) {
      for (bool backward : {false, true}) {
        CAPTURE(std::string(c.name));
        CAPTURE(n);
        CAPTURE(backward);
        op_graph t;
        c.build(t);
        detail::link(t.b);
        engine_report const r = check_engine(t, n, 5u + static_cast<unsigned>(n), backward);
        CAPTURE(r.node);
        CHECK(r.error <= 1e-12);
        CHECK(r.single_error <= 2e-4);
        tiled += r.tiled;
      }
    }
  }
  CHECK(tiled > 0);
}
