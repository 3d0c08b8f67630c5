// Includes what other.cpp and hostile.cpp include: a definition that is not inline would be there twice.
#include "all.hpp"
#include "wide.hpp"

int other();
int hostile();

namespace {
bool tensors_cross() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return true;
#endif
  auto x = make_wide();
  if (reinterpret_cast<std::uintptr_t>(x.data()) % 64 != 0) return false;
  auto v = x.view();
  x = dyadic::tensor<dyadic::axes<row, column>>(row{1}, column{1});   // the view holds the memory of the other unit
  x.fill(2);
  return v(2, 4) == 14 && sum_wide(x) == 2;
}
}  // namespace

int main() { return other() == DYADIC_VERSION && hostile() == DYADIC_VERSION && tensors_cross() ? 0 : 1; }
