// Training steps: forward, gradients, clipping, AdamW. One program, bound once; a step allocates nothing.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <vector>

#include "dyadic/exec/runner.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/train/adamw.hpp"
#include "dyadic/train/clip.hpp"
#include "dyadic/train/groups.hpp"
#include "dyadic/train/loss_weights.hpp"
#include "dyadic/train/schedule.hpp"

namespace dyadic::train {

/// What a step reports: the weighted loss in nats (for a language model the mean over counted tokens; with a solver, over passes as
/// weighted), the gradient's norm before clipping, and the speed.
struct report {
  double loss = 0, gradient_norm = 0, rate = 0, tokens_per_second = 0;
  std::int64_t step = 0;
};

struct trainer_options {
  double clip = 1.0;                              ///< longest gradient norm; 0: no clipping
  cosine_schedule schedule{};
  std::span<group const> groups = usual_groups;   ///< which parameters decay, and at what rate they learn
  pass_weights passes{};                          ///< of a solver
  std::int64_t subsets = 0;                       ///< interleaved: S; its passes are bound to S + 1
  std::uint64_t random_seed = 0;                  ///< of dropout and other random nodes
};

namespace detail {
/// A model's tokens and targets for one step, row-major [batch, seq].
template <class V> struct example { std::span<V const> tokens, targets; };
}  // namespace detail
template <class V> detail::example<V> example(std::span<V const> tokens, std::span<V const> targets) { return {tokens, targets}; }

/// trainer{weights, exec::serial{}, adamw{.rate = 3e-4}, batch{16}, seq{256}}, or with an exec::pool in serial's place: it outlives the
/// trainer, and changes nothing of what a step computes. A solver is a type: trainer<model, float, jacobi<>>; its
/// passes are one more extent, pass{K}. So is what backward keeps of forward values: trainer<model, float, exact, keeping::boundary>.
template <class Model, class T = float, class Solver = exact, class Keep = keeping::maps> class trainer {
 public:
  using program = training<Model, Solver, false, Keep>;

  template <class First, class... A>
    requires(!std::is_same_v<First, trainer_options>)
  trainer(weights<Model, T> w, cpu::workers on, adamw const& settings, First first, A... axes)
      : trainer(w, on, settings, trainer_options{}, first, axes...) {}
  template <class... A>
  trainer(weights<Model, T> w, cpu::workers on, adamw const& settings, trainer_options const& options, A... axes)
      : weights_(w), on_(on), settings_(settings), options_(options), run_(on, bind(axes...)) {
    run_.bind_parameters(w.shared());
    std::size_t const n = static_cast<std::size_t>(run_.graph.nleaves);
    gradient_.resize(n); copied_.resize(n); first_.resize(n); second_.resize(n); output_.assign(n, -1);
    for (int k = 0; k < run_.graph.nleaves; ++k) {
      if (run_.graph.leaves[k].role != leaf_role::parameter) continue;
      std::size_t const size = w->values[static_cast<std::size_t>(k)].size();
      names_.resize(n);
      names_[static_cast<std::size_t>(k)] = leaf_name(run_.graph, run_.graph.leaves[k]);
      output_[static_cast<std::size_t>(k)] = run_.gradient_output(k);
      for (auto* v : {&first_, &second_}) (*v)[static_cast<std::size_t>(k)].assign(size, T(0));
      if (output_[static_cast<std::size_t>(k)] < 0) continue;
      if (!place_of_gradient(k)) copied_[static_cast<std::size_t>(k)].assign(size, T(0));
      for (std::size_t i = 0; i < size; i += block) blocks_.push_back({k, i, (std::min)(block, size - i), 0});
    }
    loss_ = run_.output_number("loss");
    seed_ = run_.seed_leaf("loss");
    losses_.resize(run_.input(seed_).size());
    int const passes = axis_number<pass>(run_.graph);
    passes_ = passes >= 0 && (run_.graph[run_.graph.leaves[seed_].node].axes & bit_of(passes)) ? run_.ext.of[passes] : 1;
    if (options_.subsets > 0) {
      if (Solver::kind != solver_kind::interleaved || passes_ != options_.subsets + 1)
        raise(error_kind::binding,
              message() << "interleaved training in " << options_.subsets << " subsets binds pass{" << options_.subsets + 1 << "}");
      for (int k = 0; k < run_.graph.nleaves; ++k) {   // subsets are of positions along the solver's axis, the last of a loss
        leaf const &l = run_.graph.leaves[k], &loss = run_.graph.leaves[seed_];
        if (l.role == leaf_role::active && (loss.rank == 0 || loss.order[loss.rank - 1] != l.order[1]))
          raise(error_kind::argument, "interleaved training wants losses whose last axis is the solver's");
      }
      run_.engine().set_active(options_.subsets);
    } else if (Solver::kind == solver_kind::interleaved) {
      raise(error_kind::argument, "interleaved training needs trainer_options::subsets");
    }
    positions_ = run_.graph.leaves[seed_].rank ? run_.ext.of[run_.graph.leaves[seed_].order[run_.graph.leaves[seed_].rank - 1]] : 1;
  }

  /// One step of a language model. Errors: shapes, indices out of range, a norm that is not finite; the weights are unchanged then.
  template <class V> report step(detail::example<V> const& e) {
    run_.set("tokens", e.tokens);
    if (run_.has_input("targets")) run_.set("targets", e.targets);
    return step_on(e.targets);
  }
  /// Other inputs are set by name before a step (`inputs().set("documents", ...)`).
  runner<T>& inputs() { return run_; }

  /// One step on the inputs as they are set; `targets` say which tokens count (empty: all).
  template <class V> report step_on(std::span<V const> targets) {
    auto const begin = std::chrono::steady_clock::now();
    report r;
    evaluate(targets, r);
    std::int64_t const at = steps_;
    double const scale = options_.clip > 0 ? clip_scale(r.gradient_norm, options_.clip) : clip_scale(r.gradient_norm, HUGE_VAL);
    double const rate = settings_.rate * options_.schedule(at);
    ++steps_;
    each_block([&](piece& p) {
      auto const i = static_cast<std::size_t>(p.leaf);
      group const g = group_of(options_.groups, names_[i], run_.graph.leaves[p.leaf].rank);
      auto part = [&](auto& v) { return std::span(v).subspan(p.begin, p.size); };
      adamw_step<T>(settings_, steps_, rate * g.rate_factor, settings_.decay * g.decay_factor, part(weights_->values[i]),
                    gradient_[i].subspan(p.begin, p.size), part(first_[i]), part(second_[i]), scale);
    });
    weights_->changed();
    r.rate = rate;
    r.step = steps_;
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    r.tokens_per_second = static_cast<double>(losses_.size() / static_cast<std::size_t>(passes_)) / (seconds > 0 ? seconds : 1e-9);
    return r;
  }
  /// The loss and the gradients (by leaf: gradient(k)) on the inputs as set, without a step. A model with one loss for all counts no
  /// tokens. Errors: targets that are neither none nor as many as losses (of a pass).
  template <class V> void evaluate(std::span<V const> targets, report& r) {
    std::size_t const losses = losses_.size() / static_cast<std::size_t>(passes_ > 0 ? passes_ : 1);
    if (losses == 1 && targets.size() != 1) targets = {};
    if (!targets.empty() && targets.size() != losses)
      raise(error_kind::shape, message() << targets.size() << " targets for " << losses << " losses");
    run_.engine().set_random(options_.random_seed, static_cast<std::uint64_t>(steps_), true);
    fill_loss_weights<T, V>(run_.input(seed_), targets, passes_, positions_, options_.subsets, options_.passes);
    run_.run();
    run_.engine().output(loss_, losses_.data());
    auto const w = run_.input(seed_);
    double loss = 0, squares = 0;
    for (std::size_t i = 0; i < losses_.size(); ++i) if (w[i] != T(0)) loss += static_cast<double>(w[i]) * static_cast<double>(losses_[i]);
    for (std::size_t k = 0; k < gradient_.size(); ++k) {
      if (output_[k] < 0) continue;
      T const* place = copied_[k].empty() ? place_of_gradient(static_cast<int>(k)) : nullptr;
      if (!place) run_.engine().output(output_[k], copied_[k].data());
      gradient_[k] = {place ? place : copied_[k].data(), weights_->values[k].size()};
    }
    each_block([&](piece& p) { p.squares = sum_of_squares(gradient_[static_cast<std::size_t>(p.leaf)].subspan(p.begin, p.size)); });
    for (auto const& p : blocks_) squares += p.squares;   // block after block, whoever summed them
    r.loss = loss;
    r.gradient_norm = std::sqrt(squares);
  }
  /// As the last step or evaluation left it, until the next; empty for a leaf without one.
  std::span<T const> gradient(int leaf) const { return gradient_[static_cast<std::size_t>(leaf)]; }
  std::int64_t steps() const { return steps_; }

 private:
  /// A part of a parameter, for the norm and the optimizer.
  struct piece { int leaf; std::size_t begin, size; double squares; };
  static constexpr std::size_t block = 16384;
  /// Where leaf k's gradient lies as the weights do, or nullptr.
  T const* place_of_gradient(int k) {
    output const& o = run_.graph.outputs[output_[static_cast<std::size_t>(k)]];
    std::int64_t stride[max_axes]{}, expected = 1;
    T const* const first = run_.engine().output_at(output_[static_cast<std::size_t>(k)], stride);
    for (int r = o.rank - 1; r >= 0; --r) {
      std::int64_t const n = run_.engine().rows(o.order[r]);
      if (n > 1 && stride[o.order[r]] != expected) return nullptr;
      expected *= n;
    }
    return first;
  }
  template <class F> void each_block(F&& f) {
    on_.run(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t i, int) { f(blocks_[static_cast<std::size_t>(i)]); });
  }

  weights<Model, T> weights_;
  cpu::workers on_;
  adamw settings_;
  trainer_options options_;
  bound<program, T> run_;
  std::vector<std::span<T const>> gradient_;               // by leaf: where they lie
  std::vector<std::vector<T>> copied_, first_, second_;   // by leaf; copied: gradients that lie in another order than the weights
  std::vector<int> output_;
  std::vector<piece> blocks_;
  std::vector<T> losses_;
  std::vector<std::string> names_;
  int loss_ = -1, seed_ = -1;
  std::int64_t passes_ = 1, positions_ = 1, steps_ = 0;
};
template <class Model, class T, class... A> trainer(weights<Model, T>, cpu::workers, adamw, A...) -> trainer<Model, T, exact>;
template <class Model, class T, class... A>
trainer(weights<Model, T>, cpu::workers, adamw, trainer_options, A...) -> trainer<Model, T, exact>;

}  // namespace dyadic::train
