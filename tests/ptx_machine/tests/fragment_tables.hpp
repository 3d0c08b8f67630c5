// The layouts of matrix fragments a second time, for checks: register by register, as the figures of the PTX ISA draw them (thread T0 to
// T31 row by row), not by the formulas that the interpreter uses.
#pragma once
#include <cstddef>

namespace scripted::figures {

/// Who holds each element of a matrix.
struct owner {
  int lane = -1, element = -1;
};
template <int rows, int columns> struct owners {
  owner of[rows][columns];
  owner* operator[](std::size_t row) { return of[row]; }
  owner const* operator[](std::size_t row) const { return of[row]; }
};

/// Fills a block of 8 rows: T0..T3 stand in the first row, T4..T7 in the second; each thread's `width` neighbours lie side by side.
template <int rows, int columns> void row_block(owners<rows, columns>& m, int top, int left, int width, int first_element) {
  int lane = 0;
  for (int r = top; r < top + 8; ++r) {
    int column = left;
    for (int in_row = 0; in_row < 4; ++in_row, ++lane)
      for (int w = 0; w < width; ++w) m[static_cast<std::size_t>(r)][static_cast<std::size_t>(column++)] = {lane, first_element + w};
  }
}
/// Fills a block of 8 columns: T0..T3 go down the first column, `width` rows each.
template <int rows, int columns> void column_block(owners<rows, columns>& m, int top, int width, int first_element) {
  int lane = 0;
  for (int c = 0; c < 8; ++c) {
    int row = top;
    for (int in_column = 0; in_column < 4; ++in_column, ++lane)
      for (int w = 0; w < width; ++w) m[static_cast<std::size_t>(row++)][static_cast<std::size_t>(c)] = {lane, first_element + w};
  }
}

// A, 16 x 16 of 16 bits: a0 a1 upper left, a2 a3 lower left, a4 a5 upper right, a6 a7 lower right.
inline owners<16, 16> a_16x16() {
  owners<16, 16> m;
  row_block(m, 0, 0, 2, 0);
  row_block(m, 8, 0, 2, 2);
  row_block(m, 0, 8, 2, 4);
  row_block(m, 8, 8, 2, 6);
  return m;
}
inline owners<16, 8> a_16x8() {   // of 16 bits
  owners<16, 8> m;
  row_block(m, 0, 0, 2, 0);
  row_block(m, 8, 0, 2, 2);
  return m;
}
inline owners<16, 8> b_16x8() {   // B, k x n = 16 x 8 of 16 bits: b0 b1 in the upper half, b2 b3 in the lower
  owners<16, 8> m;
  column_block(m, 0, 2, 0);
  column_block(m, 8, 2, 2);
  return m;
}
inline owners<8, 8> b_8x8() {
  owners<8, 8> m;
  column_block(m, 0, 2, 0);
  return m;
}
inline owners<16, 8> c_16x8() {   // c0 c1 above, c2 c3 below
  owners<16, 8> m;
  row_block(m, 0, 0, 2, 0);
  row_block(m, 8, 0, 2, 2);
  return m;
}
inline owners<16, 8> a_tf32_16x8() {   // a0 upper left, a1 lower left, a2 upper right, a3 lower right
  owners<16, 8> m;
  row_block(m, 0, 0, 1, 0);
  row_block(m, 8, 0, 1, 1);
  row_block(m, 0, 4, 1, 2);
  row_block(m, 8, 4, 1, 3);
  return m;
}
inline owners<16, 4> a_tf32_16x4() {
  owners<16, 4> m;
  row_block(m, 0, 0, 1, 0);
  row_block(m, 8, 0, 1, 1);
  return m;
}
inline owners<8, 8> b_tf32_8x8() {
  owners<8, 8> m;
  column_block(m, 0, 1, 0);
  column_block(m, 4, 1, 1);
  return m;
}
inline owners<4, 8> b_tf32_4x8() {
  owners<4, 8> m;
  column_block(m, 0, 1, 0);
  return m;
}
inline owners<8, 4> a_f64_8x4() {
  owners<8, 4> m;
  row_block(m, 0, 0, 1, 0);
  return m;
}
inline owners<4, 8> b_f64_4x8() { return b_tf32_4x8(); }
inline owners<8, 8> c_f64_8x8() {
  owners<8, 8> m;
  row_block(m, 0, 0, 2, 0);
  return m;
}
inline owners<8, 8> ldmatrix_8x8() { return c_f64_8x8(); }   // a row's eight elements go to four threads, two each

}  // namespace scripted::figures
