// A model under test in double: values by name in, values by name out, whatever the program.
#pragma once
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "dyadic/decode/decoder.hpp"
#include "dyadic/exec/runner.hpp"
#include "dyadic/models/axes.hpp"

namespace dyadic::test {

struct real_tensor { std::vector<std::int64_t> shape; std::vector<double> v; };
using tensors = std::map<std::string, real_tensor>;

using no_solver = exact;
using jacobi_solver = jacobi<>;
using interleaved_solver = interleaved<>;

/// Copies values into the parameter of that name. false: there is none.
template <class T> bool set_parameter(parameter_set<T>& p, std::string const& key, std::vector<double> const& values) {
  bool found = false;
  p.each([&](std::string const& name, leaf const&, T* x, std::int64_t n) {
    if (name != key || n != static_cast<std::int64_t>(values.size())) return;
    for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(values[static_cast<std::size_t>(i)]);
    found = true;
  });
  return found;
}
template <class Solver> auto extents_for(std::int64_t batch, std::int64_t seq, int passes) {
  if constexpr (Solver::kind == solver_kind::none) return bind(models::batch{batch}, models::seq{seq});
  else return bind(models::batch{batch}, models::seq{seq}, pass{passes});
}

/// Evaluation and training programs of a model that share parameters and inputs.
template <class Model, class Solver = exact, class T = double, keep_policy Keep = keep_policy::recompute_maps> class subject {
 public:
  using trained = training<Model, Solver, false, Keep>;
  subject(std::int64_t batch, std::int64_t seq, int passes, int subsets, cpu::options const& o = {.poison = true})
      : forward_(extents_for<Solver>(batch, seq, passes), o), training_(extents_for<Solver>(batch, seq, passes), o) {
    forward_.bind_parameters(weights_.shared());
    training_.bind_parameters(weights_.shared());
    if (subsets > 0) { forward_.engine().set_active(subsets); training_.engine().set_active(subsets); }
  }
  weights<Model, T>& parameters() { return weights_; }
  bool set(std::string const& name, std::vector<double> const& values) {
    if (set_parameter(*weights_, name, values)) return true;
    if (!training_.has_input(name)) return false;
    forward_.set(name, std::span<double const>(values));
    training_.set(name, std::span<double const>(values));
    return true;
  }
  tensors forward() {
    forward_.run();
    return results(forward_);
  }
  /// The gradient of every parameter tensor, given the weight of every loss.
  tensors gradients(std::vector<double> const& weights) {
    training_.set_leaf(training_.seed_leaf("loss"), std::span<double const>(weights));
    training_.run();
    tensors out;
    for (int k = 0; k < training_.graph.nleaves; ++k) {
      int const o = training_.gradient_output(k);
      if (o < 0) continue;
      leaf const& l = training_.graph.leaves[k];
      std::vector<T> const all = training_.engine().output(o);
      auto const n = static_cast<std::size_t>(leaf_size(l, training_.ext));
      for (std::int64_t i = 0; i < leaf_parts(l, training_.ext); ++i) {
        real_tensor t;
        for (int r = 0; r < l.rank; ++r) t.shape.push_back(training_.ext.of[l.order[r]]);
        auto const from = all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * n);
        t.v.assign(from, from + static_cast<std::ptrdiff_t>(n));
        out[leaf_name(training_.graph, l, i)] = t;
      }
    }
    return out;
  }
  /// The training program's own forward results, after gradients().
  tensors training_results() { return results(training_); }

 private:
  weights<Model, T> weights_;
  bound<evaluation<Model, Solver>, T> forward_;
  bound<trained, T> training_;

  static tensors results(runner<T>& r) {
    tensors out;
    for (int k = 0; k < r.graph.noutputs; ++k) {
      output const& o = r.graph.outputs[k];
      if (o.role == output_role::gradient || o.node < 0) continue;
      real_tensor t;
      for (int i = 0; i < o.rank; ++i) t.shape.push_back(r.ext.of[o.order[i]]);
      std::vector<T> const v = r.engine().output(k);
      t.v.assign(v.begin(), v.end());
      out[o.name] = t;
    }
    return out;
  }
};

/// A model streamed token by token over its inputs, everything outside the state NaN between steps.
template <class Model, class T = double> class streamed {
 public:
  streamed(std::int64_t batch, std::int64_t seq, decode::decoder_options const& o = {.poison = true})
      : batch_(batch), seq_(seq), decoder_(weights_, exec::serial{}, models::batch{batch}, decode::capacity{seq}, o) {}
  weights<Model, T>& parameters() { return weights_; }
  decode::decoder<Model, T>& decoder() { return decoder_; }
  bool set(std::string const& name, std::vector<double> const& values) {
    if (set_parameter(*weights_, name, values)) return true;
    if (name == "targets") return true;
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t t = 0; t < seq_; ++t) {
        double const v = values[static_cast<std::size_t>(b * seq_ + t)];
        if (name == "tokens") tokens_.resize(values.size()), tokens_[static_cast<std::size_t>(t * batch_ + b)] = v;
        else decoder_.set(name, b, t, v);
      }
    return true;
  }
  /// [batch, seq, class] after `prefilled` tokens at once and the rest one by one.
  std::vector<double> logits(std::int64_t prefilled = 0) {
    std::vector<double> out;
    decoder_.reset();
    std::int64_t const n = decoder_.vocabulary();
    out.assign(static_cast<std::size_t>(batch_ * seq_ * n), HUGE_VAL);
    auto keep = [&](std::int64_t t) {
      auto const l = decoder_.logits();
      for (std::int64_t b = 0; b < batch_; ++b)
        for (std::int64_t c = 0; c < n; ++c) out[static_cast<std::size_t>((b * seq_ + t) * n + c)] = static_cast<double>(l[static_cast<std::size_t>(b * n + c)]);
    };
    if (prefilled > 0) {
      std::vector<double> prompt;
      for (std::int64_t b = 0; b < batch_; ++b) for (std::int64_t t = 0; t < prefilled; ++t) prompt.push_back(tokens_[static_cast<std::size_t>(t * batch_ + b)]);
      decoder_.prefill(std::span<double const>(prompt));
      keep(prefilled - 1);
    }
    for (std::int64_t t = prefilled; t < seq_; ++t) {
      decoder_.step(std::span<double const>(tokens_).subspan(static_cast<std::size_t>(t * batch_), static_cast<std::size_t>(batch_)));
      keep(t);
    }
    return out;
  }

 private:
  std::int64_t batch_, seq_;
  weights<Model, T> weights_;
  decode::decoder<Model, T> decoder_;
  std::vector<double> tokens_;
};

}  // namespace dyadic::test
