// A user's program: only the public headers and the package's target.
#include <dyadic/axes/axis.hpp>
#include <dyadic/version.hpp>

struct feature : dyadic::axis<8> {};
static_assert(feature::static_extent == 8);

#if !__has_include(<Eigen/Core>)
#error "dyadic::dyadic brings what the CPU engine needs"
#endif

int main() { return DYADIC_VERSION > 0 ? 0 : 1; }
