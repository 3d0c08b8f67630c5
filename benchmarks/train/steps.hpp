// A training step of a language model: forward, gradients, clipping, AdamW.
#pragma once
#include "dyadic/models/axes.hpp"
#include "dyadic/passes/measures.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/suite.hpp"

namespace steps {

using namespace dyadic;
using models::batch, models::seq;

/// A step on B rows of T tokens. More: the solver's passes.
template <class Model, class Solver = exact, class... More>
void measure(benchmark::State& s, int threads, train::trainer_options const& options, batch b, seq t, More... more) {
  using trainer = train::trainer<Model, float, Solver>;
  std::int64_t const vocabulary = Model::extents().template get<models::vocab>();
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(b.extent * t.extent)), targets(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<std::int32_t>(i * i % 7919 % static_cast<std::size_t>(vocabulary));
  for (std::size_t i = 0; i < tokens.size(); ++i) targets[i] = tokens[(i + 1) % tokens.size()];
  auto const w = init<Model>(seed{1});
  trainer run(w, suite::pool_of(threads), train::adamw{.rate = 1e-4}, options, b, t, more...);
  auto const e = train::example(std::span<std::int32_t const>(tokens), std::span<std::int32_t const>(targets));
  run.step(e);   // the first step prepares
  for (auto _ : s) {
    auto r = run.step(e);
    benchmark::DoNotOptimize(r);
  }
  auto const& program = run.inputs();
  suite::count_flops(s, measure_cost(program.graph, program.plan, program.ext).flops, threads);
  s.counters["tokens"] = benchmark::Counter(static_cast<double>(b.extent * t.extent), benchmark::Counter::kIsIterationInvariantRate);
}

template <class Model, class Solver = exact, class... More>
void entry(std::string const& work, train::trainer_options const& options, batch b, seq t, More... more) {
  for (int threads : suite::thread_counts())
    suite::add({"training", work, "dyadic", threads}, benchmark::kMillisecond,
               [=](benchmark::State& s) { measure<Model, Solver>(s, threads, options, b, t, more...); });
}

}  // namespace steps
