// error: this axis has a static extent, which cannot be bound again
#include "dyadic/axes/bind.hpp"
using namespace dyadic;
struct feature : axis<64> {};
constexpr auto bound = bind(feature{});
