// Operands that are packed once for a loop, or once until they are bound again: the results are those of operands packed at every product,
// also where weights change between runs, in a loop over layers within one over positions, and in a decoder.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "dyadic/decode/decoder.hpp"
#include "dyadic/exec/runner.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/models/full_bandwidth.hpp"
#include "dyadic/models/gru.hpp"
#include "dyadic/models/lstm.hpp"
#include "dyadic/models/recurrent_transformer.hpp"

using namespace dyadic;
using namespace dyadic::models;

namespace {

constexpr config small{.vocabulary = 11, .width = 24, .layers = 3, .heads = 2, .hidden = 40};
constexpr symbol_config symbols{.inputs = 5, .hidden = 37, .classes = 6};

template <class Program> using bound_program = bound<Program, double>;

template <class Program> void set_inputs(bound_program<Program>& run) {
  for (int k = 0; k < run.graph.nleaves; ++k) {
    leaf const& l = run.graph.leaves[k];
    if (l.node < 0 || (l.role != leaf_role::input && l.role != leaf_role::index && l.role != leaf_role::seed)) continue;
    auto const to = run.input(k);
    std::size_t const most = l.role == leaf_role::index ? static_cast<std::size_t>(run.ext.of[l.of]) : 1;
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = l.role == leaf_role::index ? static_cast<double>(i * 7 % most) : static_cast<double>(i * 37 % 101) / 101 - 0.4;
  }
}
template <class Program> std::vector<double> outputs(bound_program<Program>& run) {
  run.run();
  std::vector<double> all;
  for (int k = 0; k < run.graph.noutputs; ++k) {
    auto const v = run.engine().output(k);
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}
double difference(std::vector<double> const& x, std::vector<double> const& y) {
  REQUIRE(x.size() == y.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const d = std::fabs(x[i] - y[i]) / (1 + std::fabs(y[i]));
    if (!(d <= worst)) worst = std::isnan(d) ? 1e9 : d;
  }
  return worst;
}
template <class Weights> void change(Weights& w, double by) {
  w->each([&](std::string const&, leaf const&, double* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) x[i] += by * static_cast<double>(i % 13 - 6);
  });
}

/// With panels and without; with weights that change between runs, read at every run or when they are bound.
template <class Program> void check(std::int64_t rows, std::int64_t positions) {
  CAPTURE(rows); CAPTURE(positions);
  auto weights = init<typename Program::model, double>(seed{3});
  cpu::options each_product, once, fixed;
  each_product.keep_panels = false;
  once.poison = fixed.poison = true;
  fixed.fixed_parameters = true;
  bound_program<Program> plain(bind(batch{rows}, seq{positions}), each_product), kept(bind(batch{rows}, seq{positions}), once),
      until_bound(bind(batch{rows}, seq{positions}), fixed);
  for (auto* run : {&plain, &kept, &until_bound}) {
    run->bind_parameters(weights.shared());
    set_inputs(*run);
  }
  CHECK(plain.engine().panels_size() == 0);
  CHECK((kept.engine().panels_size() > 0) == (positions > 2));
  CHECK(until_bound.engine().panels_size() >= kept.engine().panels_size());
  auto const expected = outputs(plain);
  auto const first = outputs(kept);
  CHECK(difference(first, expected) < 1e-11);
  CHECK(outputs(kept) == first);
  CHECK(difference(outputs(until_bound), expected) < 1e-11);
  change(weights, 0.003);
  auto const changed = outputs(plain);
  CHECK(difference(changed, expected) > 1e-5);
  CHECK(difference(outputs(kept), changed) < 1e-11);
  until_bound.bind_parameters(weights.shared());
  CHECK(difference(outputs(until_bound), changed) < 1e-11);
}

template <class Model> void check_both() {
  for (std::int64_t rows : {1, 3, 8})
    for (std::int64_t positions : {1, 3, 9}) {
      check<evaluation<Model>>(rows, positions);
      check<training<Model>>(rows, positions);
    }
}

/// A decoder whose weights change between steps.
template <class Model> void check_decoder() {
  auto weights = init<Model, double>(seed{5});
  decode::decoder_options plain_options;
  plain_options.pack_weights = false;
  decode::decoder packed(weights, exec::serial{}, batch{2}, decode::capacity{16});
  decode::decoder plain(weights, exec::serial{}, batch{2}, decode::capacity{16}, plain_options);
  std::vector<int> const prompt{1, 5, 2, 7, 3, 0, 4, 8};
  auto same = [&](auto const& x, auto const& y) {
    return difference(std::vector<double>(x.begin(), x.end()), std::vector<double>(y.begin(), y.end())) < 1e-11;
  };
  CHECK(same(packed.prefill(std::span<int const>(prompt)), plain.prefill(std::span<int const>(prompt))));
  auto step = [&](int i) {
    int const tokens[2] = {i % 9, (i * 5 + 1) % 9};
    CHECK(same(packed.step(std::span<int const>(tokens)), plain.step(std::span<int const>(tokens))));
    return std::vector<double>(plain.logits().begin(), plain.logits().end());
  };
  for (int i = 0; i < 3; ++i) step(i);
  change(weights, 0.002);   // seen by itself
  for (int i = 3; i < 6; ++i) step(i);
  for (auto& v : weights->values) for (double& x : v) x *= 1.1;
  weights->changed();       // who writes past the set says so
  for (int i = 6; i < 9; ++i) step(i);
}

}  // namespace

TEST_CASE("an LSTM's and a GRU's weights are packed once for the loop over positions") {
  check_both<lstm<symbols>>();
  check_both<gru<symbols>>();
}
TEST_CASE("layers within a loop over positions: panels of every layer") { check_both<full_bandwidth<small>>(); }
TEST_CASE("a loop over positions with tiles, within one over layers") { check_both<recurrent_transformer<small>>(); }
TEST_CASE("a decoder's packed weights follow the weights") {
  check_decoder<recurrent_transformer<small>>();
  check_decoder<full_bandwidth<small>>();
}
