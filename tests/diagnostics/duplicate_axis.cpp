// error: an axis is named twice in one list
#include "dyadic/tensor/tensor.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
tensor<axes<seq, batch, seq>> x(batch{2}, seq{3});
