// Eigen maps both ways: values, strides, writing through, static extents, vectors.
#include "dyadic/interop/eigen.hpp"

#include <doctest/doctest.h>

using namespace dyadic;
namespace {
struct row : axis<> {};
struct column : axis<> {};
struct fixed : axis<3> {};
}  // namespace

TEST_CASE("a tensor as an Eigen matrix") {
  tensor<axes<row, column>, double> x(row{2}, column{3});
  for (int i = 0; i < 6; ++i) x.data()[i] = i;
  auto m = to_eigen(x);
  CHECK(m.rows() == 2);
  CHECK(m.cols() == 3);
  CHECK(m(1, 0) == 3);
  m(0, 2) = 7;
  CHECK(x.at(row{0}, column{2}) == 7);
  Eigen::MatrixXd const square = m * m.transpose();
  CHECK(square(0, 1) == 0 * 3 + 1 * 4 + 7 * 5);
  auto t = to_eigen(x.view().reorder<axes<column, row>>());
  CHECK(t(2, 1) == 5);
  CHECK(to_eigen(x.view().slice<column>(1, column{2}))(1, 1) == 5);
  CHECK(to_eigen(x.view().pick<row>(1))(2) == 5);
  tensor<axes<row, column>, double> const& constant = x;
  CHECK(to_eigen(constant).sum() == 20);
}

TEST_CASE("an Eigen matrix as a view") {
  Eigen::MatrixXf m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  auto v = from_eigen<axes<row, column>>(m);
  CHECK(v.at(row{1}, column{0}) == 4);
  v.at(row{0}, column{1}) = 9;
  CHECK(m(0, 1) == 9);
  CHECK(!v.contiguous());   // column-major
  tensor<axes<row, column>, float> const copied(v);
  CHECK(copied(1, 2) == 6);
  auto block = m.block(0, 1, 2, 2);
  CHECK(from_eigen<axes<row, column>>(block).at(row{1}, column{1}) == 6);
  Eigen::Vector3d const u(1, 2, 3);
  auto w = from_eigen<axes<fixed>>(u);
  CHECK(w.at(coordinate<fixed>{2}) == 3);
  Eigen::VectorXd const wrong(4);
  CHECK_THROWS_AS((void)from_eigen<axes<fixed>>(wrong), error);
  Eigen::MatrixXd const none(0, 3);
  CHECK(from_eigen<axes<row, fixed>>(none).size() == 0);
}
