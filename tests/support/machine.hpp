// A model's graph and plan, made by the passes at run time and executed in double. Compiling a test of a model costs its trace alone.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dyadic/models/axes.hpp"
#include "support/engines.hpp"

namespace test {

using tensors = std::map<std::string, std::vector<double>>;

/// What the tests bind. `passes` counts where there is a solver, `subsets` where it is interleaved.
struct lengths {
  std::int64_t rows = 2, positions = 9, passes = 1, subsets = 0;
};

/// The graph that evaluates a traced model, under a solver along its sequence or not.
dyadic::builder evaluated(dyadic::graph_view traced, dyadic::solver_kind solver = dyadic::solver_kind::none);
/// The graph that trains it.
dyadic::builder trained(dyadic::graph_view traced, dyadic::solver_kind solver = dyadic::solver_kind::none);
/// The plan of either, its pointwise statements fused or not.
dyadic::plan planned(dyadic::graph_view g, bool fused = false);
dyadic::extents bound_to(dyadic::graph_view g, lengths const& n);

/// Every parameter moved off its initial value, the same way for every graph of one model.
void move_parameters(dyadic::parameter_set<double>& p, std::uint64_t seed);
/// The largest difference; infinite where sizes differ or something is not a number.
double apart(std::vector<double> const& x, std::vector<double> const& y);
/// Tokens, targets, and what else a model reads: numbers that depend on the input's name, the row and the position alone, so that a
/// shorter sequence is the beginning of a longer one.
tensors sequence_for(dyadic::graph_view g, lengths const& n, std::uint64_t seed = 1);

class machine {
 public:
  machine(dyadic::builder&& graph, lengths const& n) : machine(static_cast<dyadic::builder&&>(graph), dyadic::plan{}, n) {}
  machine(dyadic::builder&& graph, lengths const& n, bool fused);
  /// With a plan of one's own.
  machine(dyadic::builder&& graph, dyadic::plan&& plan, lengths const& n, bool fused = false);
  machine(machine const&) = delete;
  machine& operator=(machine const&) = delete;

  dyadic::graph_view graph() const { return graph_.view(); }
  dyadic::plan_view plan() const { return plan_.view(); }
  lengths const& bound() const { return n_; }
  dyadic::parameter_set<double>& parameters() { return *parameters_; }
  dyadic::memory_plan const& storage() const { return run_->storage(); }

  /// Sets those of the values that the graph reads.
  void set(tensors const& values);
  void run() { run_->run(); }
  /// A result of the last run; a solver's passes are its outermost axis.
  std::vector<double> value(std::string const& name) { return run_->output(name); }
  std::vector<double> result(std::string const& name) { run(); return value(name); }
  /// One pass of a result.
  std::vector<double> value(std::string const& name, std::int64_t pass);
  /// The result at [pass, row, position], where interleaved solving visits each position last: [row, position].
  std::vector<double> at_last_visit(std::string const& name);

  std::size_t losses() { return run_->input(run_->seed_leaf("loss")).size(); }
  /// The gradient of sum(weight * loss) by parameter.
  tensors gradients(std::vector<double> const& weight);

 private:
  dyadic::builder graph_;
  dyadic::plan plan_;
  lengths n_;
  dyadic::shared<dyadic::parameter_set<double>> parameters_;
  std::unique_ptr<dyadic::runner<double>> run_;
};

}  // namespace test
