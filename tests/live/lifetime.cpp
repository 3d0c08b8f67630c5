// Lifetime, aliasing and strides of live expressions.
#include <cmath>
#include "support/live.hpp"

#include <doctest/doctest.h>

using namespace dyadic;

namespace {
struct row : axis<> {};
struct column : axis<> {};
using matrix = tensor<axes<row, column>, double>;

matrix counted(std::int64_t r, std::int64_t c, double first = 0) {
  matrix x(row{r}, column{c});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = first + static_cast<double>(i);
  return x;
}
auto expression_of_locals() {
  matrix x = counted(2, 3), y = counted(2, 3, 10);
  auto product = x * y;
  return product + sqrt(x) * 2 - y;
}
bool all_close(matrix const& x, matrix const& y) {
  if (!(x.extents() == y.extents())) return false;
  for (std::int64_t i = 0; i < x.size(); ++i) if (!(std::fabs(x.data()[i] - y.data()[i]) < 1e-12)) return false;
  return true;
}
template <class X> bool all_close(X const& x, matrix const& y) { return all_close(eval(x), y); }
}  // namespace

TEST_CASE("an expression of locals may be returned and kept in auto") {
  auto e = expression_of_locals();
  matrix other = counted(50, 50);   // would reuse freed memory
  auto r = eval(e);
  for (int i = 0; i < 6; ++i) CHECK(r.data()[i] == doctest::Approx(i * (10.0 + i) + 2 * std::sqrt(i) - (10.0 + i)));
}

TEST_CASE("an expression may be evaluated again and again") {
  auto x = counted(3, 3);
  auto e = softmax<column>(x * 0.1) + x;
  auto const a = eval(e), b = eval(e), c = eval(e);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    CHECK(a.data()[i] == b.data()[i]);
    CHECK(a.data()[i] == c.data()[i]);
  }
}

TEST_CASE("temporaries, moved and reassigned tensors") {
  auto e = counted(2, 2) + counted(2, 2, 1);
  CHECK(eval(e)(1, 1) == 7);
  auto x = counted(2, 2);
  auto twice = x * 2;
  matrix y = std::move(x);
  CHECK(eval(twice)(1, 0) == 4);
  y = counted(1, 1);
  CHECK(eval(twice)(1, 0) == 4);   // y has new memory, the expression keeps the old
  x = eval(twice);
  CHECK(x(1, 1) == 6);
}

TEST_CASE("assertion macros that take expressions apart") {
  auto x = counted(2, 2), y = counted(2, 2, 1);
  matrix z(row{2}, column{2});
  for (int i = 0; i < 4; ++i) z.data()[i] = x.data()[i] * y.data()[i];
  CHECK(all_close(x * y, z));
}

TEST_CASE("results may replace their operands") {
  matrix x = counted(3, 3);
  matrix const before = x;
  // the transpose, by names: rows become columns
  struct other : axis<> {};
  auto transposed = eval(rename<other, column>(rename<column, row>(rename<row, other>(x))));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK(transposed.at(row{i}, column{j}) == before(j, i));
  x = x.size() ? matrix(transposed.view()) : x;
  CHECK(x(0, 2) == before(2, 0));
  x = eval(x + shift<row>(x, 1));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK(x(i, j) == before(j, i) + (i ? before(j, i - 1) : 0));
}

TEST_CASE("eval_into elements that overlap the operands") {
  matrix x = counted(4, 2);
  matrix const before = x;
  auto upper = x.view().slice<row>(0, row{3}), lower = x.view().slice<row>(1, row{3});
  eval_into(lower, upper * 10);   // every row into the next
  for (int i = 1; i < 4; ++i)
    for (int j = 0; j < 2; ++j) CHECK(x(i, j) == 10 * before(i - 1, j));
  CHECK(x(0, 1) == before(0, 1));
  eval_into(x, x + 1);
  CHECK(x(0, 1) == before(0, 1) + 1);
  matrix small(row{1}, column{2});
  CHECK_THROWS_AS(eval_into(small, x + 1), error);
  CHECK_THROWS_AS(eval_into(x.view().pick<row>(0).broadcast(row{4}), x + 1), error);
}

TEST_CASE("operands with any strides: sliced, transposed, repeated, offset by one element") {
  matrix x = counted(4, 5);
  auto v = x.view();
  auto reference = [&](auto const& view_of_x) { return eval(exp(copy(view_of_x) * 0.1) - 1); };
  auto check = [&](auto const& view_of_x) {
    auto const direct = eval(exp(view_of_x * 0.1) - 1);
    auto const copied = reference(view_of_x);
    CHECK(direct.size() == copied.size());
    for (std::int64_t i = 0; i < direct.size(); ++i) CHECK(direct.data()[i] == copied.data()[i]);
  };
  check(v);
  check(v.slice<column>(1, column{3}));
  check(v.slice<row>(1, row{2}));
  check(v.reorder<axes<column, row>>());
  check(v.pick<column>(2));
  check(v.pick<row>(1).broadcast(row{6}));
  view<axes<row>, double const> offset(x.data() + 1, shape<axes<row>>(row{7}));
  check(offset);
}
