// A user's program: only the public headers and the package's target.
#include <dyadic/dyadic.hpp>

struct feature : dyadic::axis<8> {};
static_assert(feature::static_extent == 8);

int main() {
  dyadic::tensor<dyadic::axes<feature>, float> x;
  for (float& v : x) v = 21;
  dyadic::tensor const y = dyadic::eval(x * 2);
  return DYADIC_VERSION > 0 && y(7) == 42 ? 0 : 1;
}
