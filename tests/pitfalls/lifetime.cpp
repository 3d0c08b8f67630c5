// Pitfalls of lifetime and aliasing that users of comparable libraries met; the numbers are those of README.md beside this file.
#include "support/live.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace dyadic;

namespace {
struct row : axis<> {};
struct column : axis<> {};
using matrix = tensor<axes<row, column>, double>;

matrix counted(std::int64_t r, std::int64_t c, double first = 1) {
  matrix x(row{r}, column{c});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = first + static_cast<double>(i);
  return x;
}
auto expression_of_locals() {
  auto x = counted(2, 3);
  auto shifted = x + 1;
  return shifted * x;
}
bool all_close(matrix const& x, matrix const& y) {
  if (!(x.extents() == y.extents())) return false;
  for (std::int64_t i = 0; i < x.size(); ++i) if (!(std::fabs(x.data()[i] - y.data()[i]) <= 1e-12)) return false;
  return true;
}
template <class X> bool all_close(X const& x, matrix const& y) { return all_close(eval(x), y); }
}  // namespace

TEST_CASE("pitfall 1: auto and expressions of locals do not dangle") {
  auto e = expression_of_locals();
  auto const other = counted(2, 3, 1000);
  auto const r = eval(e);
  for (int i = 0; i < 6; ++i) CHECK(r.data()[i] == (i + 2.0) * (i + 1.0));
}

TEST_CASE("pitfall 2: an expression evaluated three times is the same three times") {
  auto e = exp(counted(3, 4) * 0.1) + counted(3, 4);
  auto const a = eval(e), b = eval(e), c = eval(std::move(e));
  for (int i = 0; i < 12; ++i) CHECK((a.data()[i] == b.data()[i] && b.data()[i] == c.data()[i]));
}

TEST_CASE("pitfall 3: assertion macros that take a * b == c apart") {
  auto const x = counted(2, 2), y = counted(2, 2, 5);
  matrix z(row{2}, column{2});
  for (int i = 0; i < 4; ++i) z.data()[i] = x.data()[i] * y.data()[i];
  CHECK(all_close(x * y, z));
}

TEST_CASE("pitfall 4: results over their own operands") {
  auto x = counted(3, 3);
  auto const before = x;
  x = matrix(x.view().rename<row, prime<column>>().rename<column, row>().rename<prime<column>, column>());   // the transpose
  for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) CHECK(x(i, j) == before(j, i));
  x = eval(x + shift<row>(x, 1));
  CHECK(x(2, 1) == before(1, 2) + before(1, 1));
  auto z = counted(4, 2);
  auto const old = z;
  eval_into(z.view().slice<row>(1, row{3}), z.view().slice<row>(0, row{3}) * 2);   // overlapping pieces
  for (int i = 1; i < 4; ++i) CHECK(z(i, 1) == 2 * old(i - 1, 1));
}
