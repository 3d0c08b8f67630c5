// error: tensors of different element types, float and double, in one expression
#include "dyadic/exec/live_ops.hpp"
using namespace dyadic;
struct batch : axis<> {};
tensor<axes<batch>, float> x(batch{2});
tensor<axes<batch>, double> y(batch{2});
auto z = x + y;
