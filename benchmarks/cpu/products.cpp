// Matrix products: dyadic's cpu::multiply and its programs beside the peers, in one process. Every peer's result is compared first.
#include <cmath>

#include "dyadic/cpu/gemm.hpp"
#include "dyadic/exec/runner.hpp"
#include "dyadic/nn.hpp"
#include "peers/peers.hpp"
#include "support/suite.hpp"

namespace {

using namespace dyadic;

struct sizes { std::int64_t m, n, k; };

/// Operands of one product.
struct operands {
  std::vector<float> a, b, c;
  product p;
  operands(sizes const& s, bool turned, int threads)
      : a(suite::numbers(s.m * s.k, 1)), b(suite::numbers(s.k * s.n, 2)), c(static_cast<std::size_t>(s.m * s.n)),
        p{c.data(), a.data(), b.data(), s.m, s.n, s.k, turned, threads} {}
  void multiply(cpu::gemm_room<float>& room) {
    cpu::multiply<float>({c.data(), p.m, p.n, p.n, 1}, {a.data(), p.m, p.k, p.k, 1},
                         {b.data(), p.k, p.n, p.turned ? 1 : p.n, p.turned ? p.k : 1}, room);
  }
  double flops() const { return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k); }
};

/// The largest difference to dyadic's product of the same operands.
double difference(operands const& x) {
  operands y({x.p.m, x.p.n, x.p.k}, x.p.turned, 1);
  cpu::gemm_room<float> room;
  y.multiply(room);
  double worst = 0;
  for (std::size_t i = 0; i < x.c.size(); ++i)
    worst = std::fmax(worst, std::fabs(static_cast<double>(x.c[i]) - static_cast<double>(y.c[i])));
  return worst;
}

void by_dyadic(benchmark::State& s, sizes const& z, bool turned) {
  operands x(z, turned, 1);
  cpu::gemm_room<float> room;
  for (auto _ : s) {
    x.multiply(room);
    benchmark::ClobberMemory();
  }
  suite::count_flops(s, x.flops(), 1);
}

void by_peer(benchmark::State& s, peer const& f, sizes const& z, bool turned, int threads) {
  operands x(z, turned, threads);
  void* const made = f.make(&x.p);
  if (!made) return s.SkipWithError("this library has no such product");
  f.run(made, &x.p);
  if (double const d = difference(x); !(d <= 1e-6 * static_cast<double>(z.k))) {
    f.drop(made);
    return s.SkipWithError(("another result: off by " + std::to_string(d)).c_str());
  }
  for (auto _ : s) {
    f.run(made, &x.p);
    benchmark::ClobberMemory();
  }
  f.drop(made);
  suite::count_flops(s, x.flops(), threads);
}

// The product as a program, which runs on threads.
struct down : axis<> {};
struct across : axis<> {};
struct inner : axis<> {};
template <bool Turned> struct product_model {
  constexpr auto operator()(source in) const {
    auto a = in.input<down, inner>("a");
    if constexpr (Turned) return results(named("c", contract<inner>(a, in.input<across, inner>("b"))));
    else return results(named("c", contract<inner>(a, in.input<inner, across>("b"))));
  }
};

template <bool Turned> void by_program(benchmark::State& s, sizes const& z, int threads) {
  operands const x(z, Turned, threads);
  cpu::options o;
  o.on = suite::pool_of(threads);
  bound<evaluation<product_model<Turned>>> run(bind(down{z.m}, across{z.n}, inner{z.k}), o);
  run.set("a", std::span(x.a));
  run.set("b", std::span(x.b));
  for (auto _ : s) {
    run.run();
    benchmark::ClobberMemory();
  }
  suite::count_flops(s, x.flops(), threads);
}

struct entrant { char const* name; peer f; bool threads; };

int const registered = [] {
  std::vector<entrant> peers;
#if defined(PEER_EIGEN)
  peers.push_back({"Eigen", peer_eigen(), false});
  benchmark::AddCustomContext("eigen_compiler", peer_eigen_compiler());
#endif
#if defined(PEER_OPENBLAS)
  peers.push_back({"OpenBLAS", peer_openblas(), true});
#endif
#if defined(PEER_ONEDNN)
  peers.push_back({"oneDNN", peer_onednn(), true});
  peers.push_back({"oneDNN packed", peer_onednn_packed(), true});
#endif
#if defined(PEER_XSMM)
  peers.push_back({"libxsmm", peer_xsmm(), false});
#endif
  std::vector<sizes> all;
  for (std::int64_t m : {1, 4, 8, 16, 64, 256, 2048}) all.push_back({m, 256, 256});
  all.push_back({1024, 1024, 1024});
  all.push_back({1, 4096, 4096});   // weights beyond the second-level cache
  for (sizes const& z : all)
    for (bool const turned : {false, true}) {
      std::string const work = std::to_string(z.m) + " x " + std::to_string(z.n) + " x " + std::to_string(z.k) + (turned ? " turned" : "");
      auto const unit = benchmark::kMicrosecond;
      suite::add({"products", work, "dyadic multiply", 1}, unit, [=](benchmark::State& s) { by_dyadic(s, z, turned); });
      for (int threads : suite::thread_counts()) {
        suite::add({"products", work, "dyadic", threads}, unit, [=](benchmark::State& s) {
          if (turned) by_program<true>(s, z, threads);
          else by_program<false>(s, z, threads);
        });
        for (entrant const& e : peers) {
          bool const turns = std::string(e.name) != "libxsmm" || !turned;
          if (turns && (threads == 1 || e.threads))
            suite::add({"products", work, e.name, threads}, unit, [=](benchmark::State& s) { by_peer(s, e.f, z, turned, threads); });
        }
      }
    }
  return 0;
}();

}  // namespace
