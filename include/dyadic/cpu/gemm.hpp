// c += a * b for matrices of any strides: Eigen where each has a unit stride, packed copies where one has none, plain loops when tiny.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

namespace dyadic::cpu {

template <class T> struct matrix {
  T* p;
  std::int64_t rows, cols, row, col;   ///< sizes; the distance between neighbours down a column and along a row
  matrix transposed() const { return {p, cols, rows, col, row}; }
};

namespace detail {

template <class T, int Order> using eigen_matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>;
template <class T, int Order> auto mapped(matrix<T const> const& x) {
  Eigen::Index const outer = Order == Eigen::RowMajor ? x.row : x.col;
  return Eigen::Map<eigen_matrix<T, Order> const, 0, Eigen::OuterStride<>>(x.p, x.rows, x.cols, Eigen::OuterStride<>(outer));
}
template <class T> bool row_major(matrix<T> const& x) { return x.col == 1 || x.cols == 1; }
template <class T> bool col_major(matrix<T> const& x) { return x.row == 1 || x.rows == 1; }

template <class T> void multiply_plain(matrix<T> c, matrix<T const> a, matrix<T const> b) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) {
      T s = 0;
      for (std::int64_t k = 0; k < a.cols; ++k) s += a.p[i * a.row + k * a.col] * b.p[k * b.row + j * b.col];
      c.p[i * c.row + j * c.col] += s;
    }
}

template <class T, int A, int B> void multiply_mapped(matrix<T> c, matrix<T const> a, matrix<T const> b) {
  Eigen::Map<eigen_matrix<T, Eigen::RowMajor>, 0, Eigen::OuterStride<>> out(c.p, c.rows, c.cols, Eigen::OuterStride<>(c.row));
  out.noalias() += mapped<T, A>(a) * mapped<T, B>(b);
}

template <class T> matrix<T const> packed(matrix<T const> x, std::vector<T>& room) {
  std::size_t const n = static_cast<std::size_t>(x.rows * x.cols);
  if (room.size() < n) room.resize(n);
  T* q = room.data();
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) *q++ = x.p[i * x.row + j * x.col];
  return {room.data(), x.rows, x.cols, x.cols, 1};
}

}  // namespace detail

/// c += a * b. `room` holds packed copies; it grows only the first time a size is met.
template <class T> void multiply(matrix<T> c, matrix<T const> a, matrix<T const> b, std::vector<T> (&room)[2]) {
  using namespace detail;
  if (c.rows == 0 || c.cols == 0 || a.cols == 0) return;
  if (c.rows * c.cols * a.cols <= 64) return multiply_plain(c, a, b);
  if (!row_major(c)) {
    if (!col_major(c)) return multiply_plain(c, a, b);
    c = c.transposed();
    auto const t = a.transposed();
    a = b.transposed();
    b = t;
  }
  if (!row_major(a) && !col_major(a)) a = packed(a, room[0]);
  if (!row_major(b) && !col_major(b)) b = packed(b, room[1]);
  if (row_major(a)) {
    if (row_major(b)) multiply_mapped<T, Eigen::RowMajor, Eigen::RowMajor>(c, a, b);
    else multiply_mapped<T, Eigen::RowMajor, Eigen::ColMajor>(c, a, b);
  } else {
    if (row_major(b)) multiply_mapped<T, Eigen::ColMajor, Eigen::RowMajor>(c, a, b);
    else multiply_mapped<T, Eigen::ColMajor, Eigen::ColMajor>(c, a, b);
  }
}

}  // namespace dyadic::cpu
