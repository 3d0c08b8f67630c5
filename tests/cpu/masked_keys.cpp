// Keys that a mask hides may hold anything: an infinity or a NaN there changes neither the attention nor its gradients.
#include "support/engines.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct dim : axis<> {};

struct masked {
  constexpr auto operator()(source in) const {
    auto q = in.input<batch, seq, dim>("q"), k = in.input<batch, seq, dim>("k"), v = in.input<batch, seq, dim>("v");
    auto hidden = in.input<batch, seq>("hidden");
    auto y = scan<seq>(q, [&](auto query) {
      auto const hide = position_of<seq>(hidden);
      auto memory = remember<seq>(query);
      auto kv = pair<dim>(position_of<seq>(k), position_of<seq>(v));
      append(memory, kv);
      return attend(memory, query, without_self(kv), [&](auto s, auto p) { return select(p.key(hide) > 0.5, never(s), s); });
    });
    return results(named("y", y), named("loss", sum<dim>(y * y + y)));
  }
};
using values_of_run = std::vector<std::vector<double>>;

// y and the gradients with respect to q, k and v, where the masked keys and values are `poison`.
values_of_run run_with(double poison, std::int64_t n, bool tiles) {
  cpu::options o;
  o.tiles = tiles;
  bound<training<masked, exact, true>, double> run(bind(batch{2}, seq{n}, dim{5}), o);
  std::size_t const positions = static_cast<std::size_t>(2 * n);
  std::vector<double> q(positions * 5), k(q.size()), v(q.size()), hidden(positions), ones(positions, 1);
  for (std::size_t i = 0; i < q.size(); ++i) {
    bool const hide = i / 5 % 3 == 1 || i / 5 % static_cast<std::size_t>(n) == 0;
    hidden[i / 5] = hide;
    q[i] = std::sin(static_cast<double>(i));
    k[i] = hide ? poison : std::cos(static_cast<double>(i) * 1.7);
    v[i] = hide ? poison : std::sin(static_cast<double>(i) * 0.3 + 1);
  }
  run.set("q", std::span<double const>(q));
  run.set("k", std::span<double const>(k));
  run.set("v", std::span<double const>(v));
  run.set("hidden", std::span<double const>(hidden));
  run.set_leaf(run.seed_leaf("loss"), std::span<double const>(ones));
  run.run();
  values_of_run r;
  auto const y = run.output("y");
  r.emplace_back(y.begin(), y.end());
  for (int i = 0; i < run.graph.noutputs; ++i) {
    if (run.graph.outputs[i].role != output_role::gradient) continue;
    auto const g = run.engine().output(i);
    r.emplace_back(g.begin(), g.end());
  }
  return r;
}
}  // namespace

TEST_CASE("what a masked key holds is never read") {
  for (std::int64_t n : {2, 17, 131})   // a row's keys before it: up to 1, 16, 130
    for (bool tiles : {true, false}) {
      auto const clean = run_with(0, n, tiles);
      CHECK(clean.size() >= 4);
      for (double poison : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
        auto const poisoned = run_with(poison, n, tiles);
        double worst = 0;
        int broken = 0;
        for (std::size_t i = 0; i < clean.size(); ++i)
          for (std::size_t j = 0; j < clean[i].size(); ++j) {
            if (!std::isfinite(poisoned[i][j])) ++broken;
            else worst = std::fmax(worst, std::fabs(clean[i][j] - poisoned[i][j]));
          }
        CAPTURE(n);
        CAPTURE(tiles);
        CAPTURE(poison);
        CHECK(broken == 0);
        CHECK(worst < 1e-12);
      }
    }
}
