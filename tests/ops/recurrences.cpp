// Far ops and folds: derivatives against differences of the definition, along both directions, with everything a fold can have (grouped
// heads, masks, learned scores at the key and the query, positions that are not stored, no self pair).
#include <doctest/doctest.h>

#include <string>

#include "support/gradient_check.hpp"
#include "support/recurrence_cases.hpp"

using namespace dyadic;
using namespace dyadic::testing;

TEST_CASE("derivatives of recurrences agree with differences") {
  for (recurrence_case const& c : recurrence_cases) {
    for (int n : {0, 1, 2, 3, 7}) {
      CAPTURE(std::string(c.name));
      CAPTURE(n);
      op_graph t;
      c.build(t);
      detail::link(t.b);
      REQUIRE(t.b.error == fault::none);
      gradient_report const r = check_gradient(t, n, 23u + static_cast<unsigned>(n), 12);
      CHECK_FALSE(r.failed);
      CHECK(r.error <= 1e-7);
      if (n == 7) CHECK(r.smallest_norm > 1e-6);
    }
  }
}

TEST_CASE("the evaluator reports a value that needs itself") {
  op_graph t;
  auto const x = t.real<row>();
  auto const y = exp(x), z = y + x;
  t.b[y.id].arg[0] = static_cast<std::int16_t>(z.id);
  t.result(z);
  reference_evaluator e(t.b.view(), t.extents_for(2), {{1, 2}});
  e.all(z.id);
  CHECK(e.cycle >= 0);
}
