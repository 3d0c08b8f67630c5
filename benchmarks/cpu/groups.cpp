// Pointwise statements and rows: the program with its groups fused into kernels, and the same program one statement after another. Bytes
// are those that have to move: every input read once, every result written once.
#include "dyadic/exec/runner.hpp"
#include "dyadic/nn.hpp"
#include "dyadic/train/adamw.hpp"
#include "support/suite.hpp"

namespace {

using namespace dyadic;

struct row : axis<> {};
struct feature : axis<> {};

struct rms_norm {
  constexpr auto operator()(source in) const {
    return results(named("y", rms_normalize<feature>(in.input<row, feature>("x"), 1e-6) * in.input<feature>("w")));
  }
};
struct gate {
  constexpr auto operator()(source in) const {
    return results(named("y", silu(in.input<row, feature>("x")) * in.input<row, feature>("u")));
  }
};
struct gelu_of {
  constexpr auto operator()(source in) const { return results(named("y", gelu(in.input<row, feature>("x")))); }
};
struct loss {
  constexpr auto operator()(source in) const {
    auto x = in.input<row, feature>("x");
    return results(named("y", cross_entropy<feature>(x, in.index<feature, row>("targets"))));
  }
};
template <class Model> using gradient_of = differentiated<Model, results_called<Model>("y")>;

constexpr std::int64_t rows = 2048, width = 256;

/// tensors: row x feature arrays that have to move.
template <class Program> void measure(benchmark::State& s, bool fuse, int threads, double tensors) {
  cpu::options o;
  o.fuse = fuse;
  o.on = suite::pool_of(threads);
  bound<Program> run(bind(row{rows}, feature{width}), o);
  for (int k = 0; k < run.graph.nleaves; ++k) {
    leaf const& l = run.graph.leaves[k];
    if (l.node < 0 || (l.role != leaf_role::input && l.role != leaf_role::seed && l.role != leaf_role::index)) continue;
    auto const to = run.input(k);
    std::vector<float> const from = suite::numbers(static_cast<std::int64_t>(to.size()), k);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = l.role == leaf_role::index ? static_cast<float>(i % static_cast<std::size_t>(width)) : from[i];
  }
  for (auto _ : s) {
    run.run();
    benchmark::ClobberMemory();
  }
  suite::count_bytes(s, tensors * static_cast<double>(rows * width) * 4);
}

template <class Program> void entries(char const* work, double tensors) {
  for (int threads : suite::thread_counts()) {
    suite::add({"groups", work, "dyadic", threads}, benchmark::kMicrosecond,
               [=](benchmark::State& s) { measure<Program>(s, true, threads, tensors); });
    suite::add({"groups", work, "dyadic unfused", threads}, benchmark::kMicrosecond,
               [=](benchmark::State& s) { measure<Program>(s, false, threads, tensors); });
  }
}

int const registered = [] {
  entries<evaluation<rms_norm>>("rms norm", 2);
  entries<gradient_of<rms_norm>>("rms norm and gradient", 4);              // x, y, dy, dx
  entries<evaluation<gate>>("silu gate", 3);
  entries<gradient_of<gate>>("silu gate and gradients", 6);                // x, u, y, dy, dx, du
  entries<gradient_of<gelu_of>>("gelu and gradient", 4);
  entries<gradient_of<loss>>("cross entropy and gradient", 2);             // logits, their gradient
  suite::add({"groups", "adamw step"}, benchmark::kMicrosecond, [](benchmark::State& s) {
    std::int64_t const n = rows * width;
    std::vector<float> w = suite::numbers(n, 1), g = suite::numbers(n, 2), m(w.size()), v(w.size());
    std::int64_t step = 0;
    for (auto _ : s) {
      train::adamw_step<float>({}, ++step, 1e-3, 0.1, std::span(w), std::span<float const>(g), std::span(m), std::span(v));
      benchmark::ClobberMemory();
    }
    suite::count_bytes(s, 7.0 * static_cast<double>(n) * 4);               // four read, three written
  });
  return 0;
}();

}  // namespace
