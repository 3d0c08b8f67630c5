// Every op and its derivative: the engine against the definition, at sizes around the lengths of its inner loops.
#include <doctest/doctest.h>

#include <string>

#include "cpu/engine_check.hpp"
#include "support/op_cases.hpp"

using namespace dyadic;
using namespace dyadic::testing;

TEST_CASE("the engine agrees with every op's definition") {
  for (gradient_case const& c : op_cases) {
    for (int n : {0, 1, 2, 3, 7, 16, 17}) {
      for (bool backward : {false, true}) {
        CAPTURE(std::string(c.name));
        CAPTURE(n);
        CAPTURE(backward);
        op_graph t;
        c.build(t);
        engine_report const r = check_engine(t, n, 5u + static_cast<unsigned>(n), backward && !c.zero);
        CAPTURE(r.node);
        CHECK(r.error <= 1e-12);
        CHECK(r.single_error <= 2e-4);
      }
    }
  }
}
