// Single layers as models, over a stream that is given: what is measured is the layer, without embedding and readout.
#pragma once
#include "dyadic/exec/runner.hpp"
#include "dyadic/models/gru.hpp"
#include "dyadic/models/lstm.hpp"
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer_block.hpp"
#include "dyadic/passes/measures.hpp"
#include "support/suite.hpp"

namespace layers {

using namespace dyadic;
using namespace dyadic::models;

/// A block of the Transformer or the Recurrent Transformer.
template <config C, class Block> struct of_stream {
  Block block;
  DYADIC_FIELDS((block, "block"))
  static constexpr auto extents() { return block_extents<C>(); }
  constexpr auto operator()(source in) const {
    auto context = context_of<C>(in);
    return results(named("y", scan<seq>(in.input<batch, seq, feature>("x"), [&](auto x) { return block(x, context.at(x)); })));
  }
};
template <config C> using transformer_layer = of_stream<C, transformer_block<C>>;
template <config C> using recurrent_layer = of_stream<C, recurrent_block<C, recurrent_options{}>>;

/// Causal attention alone: queries, keys and values are given.
template <config C> struct attention_core {
  static constexpr auto extents() { return bind(heads{C.heads}, head_dim{C.dim()}); }
  constexpr auto operator()(source in) const {
    auto k = in.input<batch, seq, heads, head_dim>("k"), v = in.input<batch, seq, heads, head_dim>("v");
    auto y = scan<seq>(in.input<batch, seq, heads, head_dim>("q"), [&](auto q) {
      auto memory = remember<seq>(q);
      auto kv = pair<head_dim>(position_of<seq>(k), position_of<seq>(v));
      append(memory, kv);
      return attend(memory, q * rsqrt(extent<head_dim>(q)), kv);
    });
    return results(named("y", y));
  }
};

template <int Width> struct lstm_layer {
  nn::lstm_cell<feature, units, inputs_and_units> cell;
  DYADIC_FIELDS((cell, ""))
  static constexpr auto extents() { return bind(feature{Width}, units{Width}, inputs_and_units{2 * Width}); }
  constexpr auto operator()(source in) const {
    auto h = scan<seq>(cell.input_gates(in.input<batch, seq, feature>("x")), [&](auto x_t) {
      auto zero = zeros<batch, units>(x_t);
      auto output = carry<seq>(zero), c = carry<seq>(zero);
      auto next = cell.update(cell.gates(x_t, read(output)), read(c));
      write(c, next.cell);
      write(output, next.output);
      return next.output;
    });
    return results(named("y", h));
  }
};

template <int Width> struct gru_layer {
  nn::gru_cell<feature, units> cell;
  DYADIC_FIELDS((cell, ""))
  static constexpr auto extents() { return bind(feature{Width}, units{Width}); }
  constexpr auto operator()(source in) const {
    auto h = scan<seq>(cell.input_gates(in.input<batch, seq, feature>("x")), [&](auto x_t) {
      auto state = carry<seq>(zeros<batch, units>(x_t));
      auto next = cell.step(x_t, read(state));
      write(state, next);
      return next;
    });
    return results(named("y", h));
  }
};

/// Runs a program at these extents; real inputs and cotangents are noise, integers count up within their axis.
template <class Program, class... A> void measure(benchmark::State& s, int threads, A... axes) {
  cpu::options o;
  o.on = suite::pool_of(threads);
  bound<Program> run(bind(axes...), o);
  run.bind_parameters(init<typename Program::model>(seed{1}).shared());
  for (int k = 0; k < run.graph.nleaves; ++k) {
    leaf const& l = run.graph.leaves[k];
    if (l.node < 0 || (l.role != leaf_role::input && l.role != leaf_role::seed && l.role != leaf_role::index)) continue;
    auto const to = run.input(k);
    std::vector<float> const from = suite::numbers(static_cast<std::int64_t>(to.size()), k);
    auto const most = l.role == leaf_role::index ? static_cast<std::size_t>(run.ext.of[l.of]) : 1;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = l.role == leaf_role::index ? static_cast<float>(i * 7 % most) : from[i];
  }
  run.run();   // the first run prepares
  for (auto _ : s) {
    run.run();
    benchmark::ClobberMemory();
  }
  suite::count_flops(s, cost<Program>(axes...).flops, threads);
}

template <class Model> using gradients = differentiated<Model, results_called<Model>("y")>;   // of parameters and inputs

/// Rows for the model alone and with its gradients.
template <class Model, class... A> void entries(std::string const& work, A... axes) {
  for (int threads : suite::thread_counts()) {
    suite::add({"layers", work + " forward", "dyadic", threads}, benchmark::kMillisecond,
               [=](benchmark::State& s) { measure<evaluation<Model>>(s, threads, axes...); });
    suite::add({"layers", work + " forward and backward", "dyadic", threads}, benchmark::kMillisecond,
               [=](benchmark::State& s) { measure<gradients<Model>>(s, threads, axes...); });
  }
}

}  // namespace layers
