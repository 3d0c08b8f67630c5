// error: pointwise operands: one must have all the axes of the other
#include "dyadic/exec/live_ops.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
tensor<axes<batch>> x(batch{2});
tensor<axes<seq>> y(seq{2});
auto z = x * y;
