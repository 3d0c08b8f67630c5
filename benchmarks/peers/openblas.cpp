// OpenBLAS's product.
#include "peers/peers.hpp"

#include <cblas.h>

namespace {

void* make(product const* p) {
  openblas_set_num_threads(p->threads);
  return const_cast<product*>(p);
}
void run(void*, product const* p) {
  int const m = static_cast<int>(p->m), n = static_cast<int>(p->n), k = static_cast<int>(p->k);
  if (m == 1) {
    if (p->turned) cblas_sgemv(CblasRowMajor, CblasNoTrans, n, k, 1, p->b, k, p->a, 1, 1, p->c, 1);
    else cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, p->b, n, p->a, 1, 1, p->c, 1);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, p->turned ? CblasTrans : CblasNoTrans, m, n, k, 1, p->a, k, p->b, p->turned ? k : n, 1, p->c, n);
}

}  // namespace

extern "C" peer peer_openblas() { return {make, run, [](void*) {}}; }
