// Matrix products of every layout and of sizes around every tile and block, against plain sums in long double: added to what is there or
// written over it, the right side where it lies or packed into panels, whole or in two pieces.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "dyadic/cpu/panels.hpp"

using namespace dyadic::cpu;

namespace {

/// Numbers that do not repeat with any tile.
template <class T> std::vector<T> numbers(std::int64_t n, int salt) {
  std::vector<T> v(static_cast<std::size_t>(n));
  std::uint64_t state = 88172645463325252ull + static_cast<std::uint64_t>(salt) * 977;
  for (T& x : v) {
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    x = static_cast<T>(static_cast<double>(state >> 40) / 16777216.0 - 0.5);
  }
  return v;
}

/// A matrix in memory of its own: rows along memory, columns along memory, or neither; the gaps are marked.
template <class T> struct held {
  std::vector<T> memory;
  matrix<T> m;
  held(std::int64_t rows, std::int64_t cols, int layout, int salt) : memory(numbers<T>((rows + 3) * (cols + 3) * 2, salt)) {
    if (layout == 0) m = {memory.data() + 1, rows, cols, cols + 2, 1};
    else if (layout == 1) m = {memory.data() + 1, rows, cols, 1, rows + 2};
    else m = {memory.data() + 1, rows, cols, 2 * cols + 1, 2};
  }
  matrix<T const> read() const { return {m.p, m.rows, m.cols, m.row, m.col}; }
};

/// Whether the memory of a product holds what it should, and nothing else was written.
template <class T> bool right(std::vector<T> const& memory, std::vector<long double> const& expected, std::int64_t depth) {
  long double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, std::abs(static_cast<long double>(memory[i]) - expected[i]));
  return worst <= static_cast<long double>(std::numeric_limits<T>::epsilon()) * (2 + static_cast<long double>(depth));
}

template <class T> void check(std::int64_t rows, std::int64_t cols, std::int64_t depth, int layouts) {
  CAPTURE(rows); CAPTURE(cols); CAPTURE(depth); CAPTURE(layouts);
  held<T> const a(rows, depth, layouts % 3, 1), b(depth, cols, layouts / 3 % 3, 2);
  held<T> c(rows, cols, layouts / 9, 3);
  std::vector<T> const before = c.memory;
  std::vector<long double> sum(before.begin(), before.end()), product = sum;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      long double s = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        s += static_cast<long double>(a.m.p[i * a.m.row + k * a.m.col]) * static_cast<long double>(b.m.p[k * b.m.row + j * b.m.col]);
      auto const at = static_cast<std::size_t>(c.m.p - c.memory.data() + i * c.m.row + j * c.m.col);
      sum[at] += s;
      product[at] = s;
    }
  gemm_room<T> room;
  auto again = [&] { std::copy(before.begin(), before.end(), c.memory.begin()); };
  multiply<T>(c.m, a.read(), b.read(), room);
  CHECK(right(c.memory, sum, depth));
  again();
  multiply<T>(c.m, a.read(), b.read(), room, true);
  CHECK(right(c.memory, product, depth));

  std::vector<T> panels(static_cast<std::size_t>(panels_size<T>(depth, cols)), T(77));
  std::int64_t const half = cols / 2 / tile_cols<T> * tile_cols<T>;
  pack_panels(panels.data(), b.read(), half, cols);
  pack_panels(panels.data(), b.read(), 0, half);
  again();
  multiply_packed<T>(c.m, a.read(), panels.data(), room, false);
  CHECK(right(c.memory, sum, depth));
  again();
  multiply_packed<T>({c.m.p + half * c.m.col, rows, cols - half, c.m.row, c.m.col}, a.read(), panels.data() + panel_begin<T>(depth, half), room, true);
  multiply_packed<T>({c.m.p, rows, half, c.m.row, c.m.col}, a.read(), panels.data(), room, true);
  CHECK(right(c.memory, product, depth));
}

template <class T> void check_all_layouts(std::int64_t rows, std::int64_t cols, std::int64_t depth) {
  for (int layouts = 0; layouts < 27; ++layouts) check<T>(rows, cols, depth, layouts);
}

}  // namespace

TEST_CASE_TEMPLATE("products of sizes around the register tile", T, float, double) {
  std::int64_t const r = tile_rows, n = tile_cols<T>;
  for (std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, r - 1, r, r + 1, 2 * r, 2 * r + 1, std::int64_t{31}})
    for (std::int64_t cols : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, n / 2, n - 1, n, n + 1, 2 * n + 3})
      for (std::int64_t depth : {0, 1, 7, 17}) check_all_layouts<T>(rows, cols, depth);
}
TEST_CASE_TEMPLATE("products of sizes around the blocks", T, float, double) {
  using room = gemm_room<T>;
  for (std::int64_t d : {-1, 0, 1}) {
    for (int layouts : {0, 1, 3, 4, 8}) {
      check<T>(room::rows + d, 37, 19, layouts);
      check<T>(13, room::cols + d, 11, layouts);
      check<T>(41, 23, room::depth + d, layouts);
      check<T>(5, 23, 2 * room::depth + d, layouts);
      check<T>(1, 23, room::depth + d, layouts);
    }
  }
  for (int layouts = 0; layouts < 27; ++layouts) check<T>(2 * tile_rows + 1, 2 * tile_cols<T> + 1, room::depth + 3, layouts);
}
TEST_CASE("infinities and NaN reach only the sums they belong to") {
  for (int layouts = 0; layouts < 9; ++layouts) {
    std::int64_t const rows = 3 * tile_rows + 1, cols = 2 * tile_cols<float> + 5, depth = 33;
    held<float> a(rows, depth, layouts % 3, 1), b(depth, cols, layouts / 3, 2), c(rows, cols, 0, 3);
    a.m.p[7 * a.m.row + 20 * a.m.col] = std::numeric_limits<float>::infinity();
    b.m.p[5 * b.m.row + (cols - 1) * b.m.col] = std::numeric_limits<float>::quiet_NaN();
    gemm_room<float> room;
    std::vector<float> panels(static_cast<std::size_t>(panels_size<float>(depth, cols)));
    pack_panels(panels.data(), b.read(), 0, cols);
    for (bool packed : {false, true}) {
      if (packed) multiply_packed<float>(c.m, a.read(), panels.data(), room, true);
      else multiply<float>(c.m, a.read(), b.read(), room);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) {
          float const x = c.m.p[i * c.m.row + j];
          CHECK(std::isfinite(x) == (i != 7 && j != cols - 1));
        }
    }
  }
}
TEST_CASE("room once made is enough") {
  gemm_room<float> room;
  room.reserve(300, 500, 700);
  float const *left = room.left.data(), *right = room.right.data();
  for (std::int64_t rows : {1, 20, 300})
    for (std::int64_t depth : {31, 700}) {
      held<float> const a(rows, depth, 2, 1), b(depth, 500, 2, 2);
      held<float> c(rows, 500, 0, 3);
      multiply<float>(c.m, a.read(), b.read(), room);
      std::vector<float> panels(static_cast<std::size_t>(panels_size<float>(depth, 500)));
      multiply_packed<float>(c.m, a.read(), panels.data(), room, true);
    }
  CHECK(left == room.left.data());
  CHECK(right == room.right.data());
}
