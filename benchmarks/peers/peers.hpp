// Matrix products of other libraries, in the plain terms of C: each is compiled by itself, some by another compiler.
#pragma once
#include <cstdint>

/// c += a * b. a: m x k, rows along memory; b: k x n, rows along memory, or columns when `turned`; c: m x n, rows along memory.
struct product {
  float* c;
  float const *a, *b;
  std::int64_t m, n, k;
  bool turned;
  int threads;
};

struct peer {
  /// What the product needs beyond its operands (a kernel, packed weights); nullptr: this library has no such product.
  void* (*make)(product const*);
  void (*run)(void*, product const*);
  void (*drop)(void*);
};

extern "C" {
peer peer_eigen();
char const* peer_eigen_compiler();
peer peer_openblas();
peer peer_onednn();
peer peer_onednn_packed();   ///< b is read and laid out anew before the measurement begins
peer peer_xsmm();
}
