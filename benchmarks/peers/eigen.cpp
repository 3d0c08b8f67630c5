// Eigen's product.
#include "peers/peers.hpp"

#include <Eigen/Core>

namespace {

template <int Order> using dense = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Order> const>;

void run(void*, product const* p) {
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> c(p->c, p->m, p->n);
  dense<Eigen::RowMajor> const a(p->a, p->m, p->k);
  if (p->m == 1) {   // its own kernel for vectors, which is chosen by types
    Eigen::Map<Eigen::Matrix<float, 1, Eigen::Dynamic>> row(p->c, p->n);
    Eigen::Map<Eigen::Matrix<float, 1, Eigen::Dynamic> const> const left(p->a, p->k);
    if (p->turned) row.noalias() += left * dense<Eigen::ColMajor>(p->b, p->k, p->n);
    else row.noalias() += left * dense<Eigen::RowMajor>(p->b, p->k, p->n);
  } else if (p->turned) {
    c.noalias() += a * dense<Eigen::ColMajor>(p->b, p->k, p->n);
  } else {
    c.noalias() += a * dense<Eigen::RowMajor>(p->b, p->k, p->n);
  }
}

}  // namespace

extern "C" peer peer_eigen() {
  return {[](product const* p) -> void* { return p->threads == 1 ? const_cast<product*>(p) : nullptr; }, run, [](void*) {}};
}
extern "C" char const* peer_eigen_compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}
