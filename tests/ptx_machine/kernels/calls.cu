// Calls, direct, recursive and through a table of functions in constant memory; a dense switch; printf; initialised globals.
#include <cstdio>

namespace {
struct pair { int first; long long second; };
using function = int (*)(int, int);
__device__ __noinline__ int sum(int x, int y) { return x + y; }
__device__ __noinline__ int difference(int x, int y) { return x - y; }
__device__ __noinline__ int product(int x, int y) { return x * y; }
__device__ __noinline__ pair divided(int x, int y) { return {x / y, x % y + (1ll << 40)}; }
__device__ __noinline__ unsigned long long factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ function const table[] = {sum, difference, product};
__device__ int weights[5] = {3, -1, 4, 1, -5};
__constant__ double scale = 0.25;
__device__ char const greeting[] = "thread";
}  // namespace

extern "C" __global__ void calls(int const* which, int const* x, int const* y, long long* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long r = table[which[i] % 3](x[i], y[i]);
  pair const q = divided(x[i], y[i]);
  int buffer[8];
  for (int j = 0; j < 8; ++j) buffer[j] = x[i] * j;
  switch (which[i]) {
    case 0: r += q.first; break;
    case 1: r += q.second; break;
    case 2: r = r * 7 - weights[i % 5]; break;
    case 3: r ^= 0x55; break;
    case 4: r += static_cast<long long>(factorial(static_cast<unsigned>(i % 12))); break;
    case 5: r += static_cast<long long>(scale * x[i]); break;
    case 6: r -= buffer[(y[i] % 8 + 8) % 8]; break;
    case 7: r = -r; break;
    default: r = 11;
  }
  if (i == 3) printf("%s %d: %lld %.3f %c %% %5u|%-4d|%x\n", greeting, i, r, scale, 'x', 42u, -7, 255);
  out[i] = r;
}
