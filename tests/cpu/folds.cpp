// Folds at sizes around their tiles. Near rows go along the lanes of wide tiles or, a few, by themselves, and both sides are cut into blocks:
// whatever the blocks and the plan, attention and its gradients are those of single rows and of sums over all pairs.
#include "support/engines.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct group : axis<> {};
struct dim : axis<> {};

enum class kind { plain, window, learned, some_stored, nothing };

// A group of queries shares its keys. Everything a score may read, where Kind asks for it.
template <kind Kind> struct attention {
  constexpr auto operator()(source in) const {
    auto q = in.input<batch, seq, group, dim>("q");
    auto k = in.input<batch, seq, dim>("k"), v = in.input<batch, seq, dim>("v");
    auto bias = in.input<batch, seq>("bias");
    auto stored = in.input<seq>("stored");
    auto y = scan<seq>(q, [&](auto query) {
      auto const here = position_of<seq>(bias);
      auto memory = remember<seq>(query);
      auto kv = pair<dim>(position_of<seq>(k), position_of<seq>(v));
      if constexpr (Kind == kind::some_stored) append(memory, kv, position_of<seq>(stored) > 0);
      else append(memory, kv);
      return attend(memory, query, without_self(kv), [&](auto s, auto p) {
        if constexpr (Kind == kind::window) return select(p.distance() < 21, s, never(s));
        else if constexpr (Kind == kind::learned) return tanh(s + p.key(here)) * 2 - p.distance() * here * 0.01;
        else if constexpr (Kind == kind::nothing) return select(p.distance() + 1 < 0, s, never(s));
        else return s;
      });
    });
    return results(named("y", y), named("loss", sum<dim>(sum<group>(y * y + y))));
  }
};

using results_of_run = std::vector<std::vector<double>>;   // y, then the gradients

template <class T, kind Kind> results_of_run run_with(std::int64_t n, std::int64_t depth, cpu::options const& o) {
  bound<training<attention<Kind>, exact, true>, T> run(bind(batch{1}, seq{n}, group{2}, dim{depth}), o);
  auto fill = [&](char const* name, std::int64_t size, double by) {
    std::vector<double> x(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i) * by + by);
    if (run.has_input(name)) run.set(name, std::span<double const>(x));
  };
  fill("q", n * 2 * depth, 1.3);
  fill("k", n * depth, 0.7);
  fill("v", n * depth, 2.1);
  fill("bias", n, 0.9);
  fill("stored", n, 1.9);
  std::vector<double> const ones(static_cast<std::size_t>(n), 1);
  run.set_leaf(run.seed_leaf("loss"), std::span<double const>(ones));
  run.run();
  results_of_run r;
  auto const y = run.output("y");
  r.emplace_back(y.begin(), y.end());
  for (int i = 0; i < run.graph.noutputs; ++i) {
    if (run.graph.outputs[i].role != output_role::gradient) continue;
    auto const g = run.engine().output(i);
    r.emplace_back(g.begin(), g.end());
  }
  return r;
}
double difference(results_of_run const& a, results_of_run const& b) {
  double worst = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < a.size() && worst < 1e9; ++i) {
    if (a[i].size() != b[i].size()) return 1e9;
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      double const off = std::fabs(a[i][j] - b[i][j]) / (1 + std::fabs(b[i][j]));
      if (!(off <= worst)) worst = std::isnan(off) ? 1e9 : off;
    }
  }
  return worst;
}
cpu::options blocks(std::int64_t queries, std::int64_t keys, bool tiles = true) {
  cpu::options o;
  o.query_block = queries;
  o.key_block = keys;
  o.tiles = tiles;
  o.poison = true;
  return o;
}

template <kind Kind> void check(std::int64_t n, std::int64_t depth) {
  CAPTURE(static_cast<int>(Kind));
  CAPTURE(n);
  CAPTURE(depth);
  results_of_run const rows = run_with<double, Kind>(n, depth, blocks(1, 1));
  for (auto const& y : rows) for (double x : y) if (!std::isfinite(x)) FAIL_CHECK("not finite");
  CHECK(difference(run_with<double, Kind>(n, depth, {}), rows) < 1e-12);
  CHECK(difference(run_with<double, Kind>(n, depth, blocks(40, 7)), rows) < 1e-12);
  CHECK(difference(run_with<double, Kind>(n, depth, blocks(5, 64)), rows) < 1e-12);
  CHECK(difference(run_with<float, Kind>(n, depth, {}), rows) < 2e-4);
  CHECK(difference(run_with<float, Kind>(n, depth, blocks(3, 33)), rows) < 2e-4);
}

/// Attention by its definition, each query for itself.
std::vector<double> by_definition(std::int64_t n, std::int64_t depth) {
  auto number = [](std::int64_t i, double by) { return std::sin(static_cast<double>(i) * by + by); };
  std::vector<double> y;
  for (std::int64_t t = 0; t < n; ++t)
    for (std::int64_t g = 0; g < 2; ++g) {
      std::vector<double> o(static_cast<std::size_t>(depth), 0), w;
      double most = -std::numeric_limits<double>::infinity(), total = 0;
      for (std::int64_t s = 0; s < t; ++s) {
        double dot = 0;
        for (std::int64_t c = 0; c < depth; ++c) dot += number((t * 2 + g) * depth + c, 1.3) * number(s * depth + c, 0.7);
        w.push_back(dot);
        most = std::fmax(most, dot);
      }
      for (std::size_t s = 0; s < w.size(); ++s) {
        double const p = std::exp(w[s] - most);
        total += p;
        for (std::size_t c = 0; c < o.size(); ++c) o[c] += p * number(static_cast<std::int64_t>(s) * depth + static_cast<std::int64_t>(c), 2.1);
      }
      for (double x : o) y.push_back(total > 0 ? x / total : 0);
    }
  return y;
}
}  // namespace

TEST_CASE("attention does not depend on how its sides are cut") {
  for (std::int64_t n : {0, 1, 2, 9, 31, 32, 33}) {
    check<kind::plain>(n, 5);
    check<kind::window>(n, 3);
    check<kind::learned>(n, 4);
    check<kind::some_stored>(n, 2);
    check<kind::nothing>(n, 3);
  }
  for (std::int64_t n : {95, 97, 128, 131, 193}) {
    check<kind::plain>(n, 1);
    check<kind::window>(n, 8);
    check<kind::learned>(n, 3);
  }
}

TEST_CASE("attention at head sizes around vectors and tiles") {
  for (std::int64_t depth : {0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 17, 64, 65, 128, 257}) {
    check<kind::plain>(35, depth);
    check<kind::some_stored>(35, depth);
  }
}

TEST_CASE("attention is its definition") {
  for (std::int64_t n : {1, 2, 17, 129, 200})
    for (std::int64_t depth : {1, 5, 64}) {
      CAPTURE(n);
      CAPTURE(depth);
      results_of_run const want{by_definition(n, depth)};
      for (auto const& o : {cpu::options{}, blocks(1, 1), blocks(16, 24)}) {
        results_of_run const got{run_with<double, kind::plain>(n, depth, o).front()};
        CHECK(difference(got, want) < 1e-12);
      }
    }
}
