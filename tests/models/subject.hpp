// A model in double precision, as tests see it: parameters and inputs by name, results and gradients by name, streaming.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dyadic/decode/decoder.hpp"
#include "dyadic/exec/runner.hpp"

namespace test {

using tensors = std::map<std::string, std::vector<double>>;

using no_solver = dyadic::exact;
using jacobi_solver = dyadic::jacobi<>;
using interleaved_solver = dyadic::interleaved<>;

/// The parameters of a model by name.
template <class Model> class named_parameters {
 public:
  dyadic::weights<Model, double> weights = dyadic::init<Model, double>(dyadic::seed{1});

  std::vector<std::string> names() const {
    std::vector<std::string> r;
    weights->each([&](std::string const& name, dyadic::leaf const&, double*, std::int64_t) { r.push_back(name); });
    return r;
  }
  /// The elements of a parameter; empty when there is none of that name.
  std::span<double> at(std::string const& name) const {
    std::span<double> r;
    weights->each([&](std::string const& n, dyadic::leaf const&, double* x, std::int64_t size) {
      if (n == name) r = {x, static_cast<std::size_t>(size)};
    });
    return r;
  }
  bool set(std::string const& name, std::vector<double> const& v) const {
    auto const to = at(name);
    if (to.size() != v.size() || v.empty()) return false;
    std::copy(v.begin(), v.end(), to.begin());
    return true;
  }
};

/// Evaluation and training of a model, under a solver or not.
template <class Model, class Solver = no_solver> class subject : public named_parameters<Model> {
  static constexpr bool solved = Solver::kind != dyadic::solver_kind::none;

 public:
  /// `passes` is bound where there is a solver; `subsets` are those of an interleaved one.
  template <class Binding> explicit subject(Binding const& sizes, std::int64_t passes = 1, std::int64_t subsets = 0)
      : forward_(with_passes(sizes, passes), poisoned()), training_(with_passes(sizes, passes), poisoned()) {
    if constexpr (Solver::kind == dyadic::solver_kind::interleaved) {
      forward_.engine().set_active(subsets);
      training_.engine().set_active(subsets);
    }
    forward_.bind_parameters(this->weights.shared());
    training_.bind_parameters(this->weights.shared());
  }

  /// A parameter or an input. False: the model has none of that name, or of that size.
  bool set(std::string const& name, std::vector<double> const& v) {
    if (!forward_.has_input(name)) return named_parameters<Model>::set(name, v);
    forward_.set(name, std::span<double const>(v));
    training_.set(name, std::span<double const>(v));
    return true;
  }
  /// Every result of the model; a solver's passes are the outermost axis.
  tensors forward() {
    forward_.run();
    tensors r;
    auto const& g = forward_.graph;
    for (int k = 0; k < g.noutputs; ++k)
      if (g.outputs[k].role == dyadic::output_role::result) r[g.outputs[k].name] = forward_.engine().output(k);
    return r;
  }
  /// The gradient of sum(weight * loss) with respect to every parameter.
  tensors gradients(std::vector<double> const& weight) {
    auto const to = training_.input(training_.seed_leaf("loss"));
    if (to.size() != weight.size()) return {};
    std::copy(weight.begin(), weight.end(), to.begin());
    training_.run();
    tensors r;
    auto const& g = training_.graph;
    for (int k = 0; k < g.nleaves; ++k) {
      dyadic::leaf const& l = g.leaves[k];
      int const o = training_.gradient_output(k);
      if (l.role != dyadic::leaf_role::parameter || o < 0) continue;
      auto const all = training_.engine().output(o);
      std::int64_t const parts = dyadic::leaf_parts(l, training_.ext), n = dyadic::leaf_size(l, training_.ext);
      for (std::int64_t i = 0; i < parts; ++i)
        r[dyadic::leaf_name(g, l, i)] = std::vector<double>(all.begin() + i * n, all.begin() + (i + 1) * n);
    }
    return r;
  }
  /// Elements of the loss.
  std::size_t losses() { return training_.input(training_.seed_leaf("loss")).size(); }

 private:
  dyadic::bound<dyadic::evaluation<Model, Solver>, double> forward_;
  dyadic::bound<dyadic::training<Model, Solver>, double> training_;

  static dyadic::cpu::options poisoned() {
    dyadic::cpu::options o;
    o.poison = true;             // reused bytes are NaN until they are written again
    return o;
  }
  template <class Binding> static auto with_passes(Binding const& sizes, [[maybe_unused]] std::int64_t passes) {
    if constexpr (solved) return join(sizes, dyadic::bind(dyadic::pass{passes}));
    else return sizes;
  }
};

/// A model that is fed one token at a time; everything outside its state is NaN between steps.
template <class Model, class Seq = dyadic::models::seq, class Batch = dyadic::models::batch>
class streamed : public named_parameters<Model> {
 public:
  streamed(std::int64_t rows, std::int64_t positions)
      : rows_(rows), positions_(positions),
        decoder_(this->weights, dyadic::exec::serial{}, Batch{rows}, dyadic::decode::capacity{positions}, options()) {}

  /// An input other than the tokens, [row][position].
  void set_input(std::string const& name, std::vector<double> const& v) {
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t t = 0; t < positions_; ++t) decoder_.set(name, r, t, v[static_cast<std::size_t>(r * positions_ + t)]);
  }
  /// Logits of every position, [row][position][class], for tokens [row][position].
  std::vector<double> logits(std::vector<double> const& tokens) {
    auto const rows = static_cast<std::size_t>(rows_), positions = static_cast<std::size_t>(positions_);
    auto const n = static_cast<std::size_t>(decoder_.vocabulary());
    std::vector<double> r(rows * positions * n);
    for (std::size_t t = 0; t < positions; ++t) {
      std::vector<double> now;
      for (std::size_t row = 0; row < rows; ++row) now.push_back(tokens[row * positions + t]);
      auto const x = decoder_.step(std::span<double const>(now));
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t c = 0; c < n; ++c) r[(row * positions + t) * n + c] = x[row * n + c];
    }
    return r;
  }

 private:
  std::int64_t rows_, positions_;
  dyadic::decode::decoder<Model, double, Seq, Batch> decoder_;

  static dyadic::decode::decoder_options options() {
    dyadic::decode::decoder_options o;
    o.poison = true;
    return o;
  }
};

}  // namespace test
