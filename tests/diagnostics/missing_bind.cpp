// error: a run-time axis has no extent
// A tensor over two run-time axes of which one is bound.
#include "dyadic/tensor/tensor.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
tensor<axes<batch, seq>> x(batch{2});
