// oneDNN's products: its sgemm, and its matrix product with the right side laid out as it likes best, once.
#include "peers/peers.hpp"

#include <dlfcn.h>

#include <dnnl.hpp>

namespace {

/// oneDNN asks OpenMP, which is linked to it, not to this program.
void set_threads(int n) {
  if (auto const set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(n);
}

void* make(product const* p) {
  set_threads(p->threads);
  return const_cast<product*>(p);
}
void run(void*, product const* p) {
  dnnl_sgemm('N', p->turned ? 'T' : 'N', p->m, p->n, p->k, 1, p->a, p->k, p->b, p->turned ? p->k : p->n, 1, p->c, p->n);
}

struct packed {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::memory a, b, c;
  dnnl::matmul f;

  explicit packed(product const* p) {
    using dnnl::memory;
    auto const real = memory::data_type::f32;
    memory::desc const left({p->m, p->k}, real, memory::format_tag::ab), out({p->m, p->n}, real, memory::format_tag::ab);
    memory::desc const right({p->k, p->n}, real, p->turned ? memory::format_tag::ba : memory::format_tag::ab);
    memory::desc const any({p->k, p->n}, real, memory::format_tag::any);
    dnnl::post_ops sum;
    sum.append_sum(1);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(sum);
    dnnl::matmul::primitive_desc const d(dnnl::matmul::desc(left, any, out), attributes, engine);
    a = memory(left, engine, const_cast<float*>(p->a));
    c = memory(out, engine, p->c);
    memory given(right, engine, const_cast<float*>(p->b));
    b = memory(d.weights_desc(), engine);
    dnnl::reorder(given, b).execute(stream, given, b);
    stream.wait();
    f = dnnl::matmul(d);
  }
  void operator()() {
    f.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    stream.wait();
  }
};

}  // namespace

extern "C" peer peer_onednn() { return {make, run, [](void*) {}}; }
extern "C" peer peer_onednn_packed() {
  return {[](product const* p) -> void* {
            set_threads(p->threads);
            try {
              return new packed(p);
            } catch (dnnl::error const&) {
              return nullptr;
            }
          },
          [](void* with, product const*) { (*static_cast<packed*>(with))(); }, [](void* with) { delete static_cast<packed*>(with); }};
}
