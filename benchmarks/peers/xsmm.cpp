// libxsmm's product: a kernel made at run time for the sizes. It counts columns first, so that operands change places; its kernels want
// the left one as it lies, so there is none for a turned right side here.
#include "peers/peers.hpp"

#include <libxsmm.h>

namespace {

void* make(product const* p) {
  if (p->turned || p->threads != 1) return nullptr;
  libxsmm_init();
  int const m = static_cast<int>(p->n), n = static_cast<int>(p->m), k = static_cast<int>(p->k);
  float const one = 1;
  int const flags = LIBXSMM_GEMM_FLAG_NONE;
  libxsmm_smmfunction const f = libxsmm_smmdispatch(m, n, k, nullptr, nullptr, nullptr, &one, &one, &flags, nullptr);
  return reinterpret_cast<void*>(f);
}
void run(void* kernel, product const* p) { reinterpret_cast<libxsmm_smmfunction>(kernel)(p->b, p->a, p->c); }

}  // namespace

extern "C" peer peer_xsmm() { return {make, run, [](void*) {}}; }
