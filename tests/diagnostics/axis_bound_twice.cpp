// error: an axis is bound twice
#include "dyadic/axes/bind.hpp"
using namespace dyadic;
struct batch : axis<> {};
struct seq : axis<> {};
constexpr auto bound = bind(batch{8}, seq{16}, batch{8});
