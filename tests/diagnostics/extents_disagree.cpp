// error: axis extents disagree
// A contraction-ready rename between axes of different static extents.
#include "dyadic/tensor/tensor.hpp"
using namespace dyadic;
struct row : axis<64> {};
struct column : axis<128> {};
tensor<axes<row>> x;
auto y = x.view().rename<row, column>();
