// A matrix in memory, of any strides.
#pragma once
#include <cstdint>

namespace dyadic::cpu {

template <class T> struct matrix {
  T* p;
  std::int64_t rows, cols, row, col;   ///< sizes; the distance between neighbours down a column and along a row
  matrix transposed() const { return {p, cols, rows, col, row}; }
};

}  // namespace dyadic::cpu
