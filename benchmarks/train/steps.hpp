// A training step of a language model: forward, gradients, clipping, AdamW.
#pragma once
#include "dyadic/passes/measures.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/suite.hpp"

namespace steps {

using namespace dyadic;
using models::batch, models::seq;

/// A step on B rows of T tokens. More: the solver's passes.
template <class Model, class Solver = exact, class... More>
void measure(benchmark::State& s, int threads, train::trainer_options options, std::int64_t active_rows, batch b, seq t, More... more) {
  using trainer = train::trainer<Model, float, Solver>;
  int const vocabulary = Model::extents().template get<models::vocab>();
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(b.extent * t.extent)), targets(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i * i % 7919 % static_cast<std::size_t>(vocabulary));
  for (std::size_t i = 0; i < tokens.size(); ++i) targets[i] = tokens[(i + 1) % tokens.size()];
  auto const w = init<Model>(seed{1});
  trainer run(w, suite::pool_of(threads), train::adamw{.rate = 1e-4}, options, b, t, more...);
  auto const e = train::example(std::span<std::int32_t const>(tokens), std::span<std::int32_t const>(targets));
  run.step(e);   // the first step prepares
  for (auto _ : s) {
    auto r = run.step(e);
    benchmark::DoNotOptimize(r);
  }
  cost_request q;
  q.active_rows = active_rows;
  auto& bound_to = run.inputs();
  double const each = measure_cost(bound_to.graph, bound_to.plan, bound_to.ext, q).flops;
  suite::count_flops(s, each, threads);
  s.counters["tokens"] = benchmark::Counter(static_cast<double>(b.extent * t.extent), benchmark::Counter::kIsIterationInvariantRate);
}

template <class Model, class Solver = exact, class... More>
void entry(std::string const& work, train::trainer_options const& options, std::int64_t active_rows, batch b, seq t, More... more) {
  for (int threads : suite::thread_counts())
    suite::add({"training", work, "dyadic", threads}, benchmark::kMillisecond,
               [=](benchmark::State& s) { measure<Model, Solver>(s, threads, options, active_rows, b, t, more...); });
}

}  // namespace steps
