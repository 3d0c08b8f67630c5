#include "support/machine.hpp"

#include <cmath>

#include "dyadic/passes/fuse.hpp"

namespace test {

using namespace dyadic;

namespace {
double uniform(std::mt19937_64& next) { return static_cast<double>(next() >> 11) * 0x1p-53; }

cpu::options poisoned() {
  cpu::options o;
  o.poison = true;               // reused bytes are NaN until they are written again
  return o;
}
}  // namespace

builder evaluated(graph_view traced, solver_kind solver) {
  builder g = simplify(traced);
  if (solver == solver_kind::none) return g;
  return simplify(solve(g.view(), axis_number<models::seq>(g.view()), solver).view());
}

builder trained(graph_view traced, solver_kind solver) {
  builder const g = evaluated(traced, solver);
  builder const joint = simplify(adjoint(g.view()).view());
  return cuts(joint.view(), keep_policy::recompute_maps);
}

plan planned(graph_view g, bool fused) {
  plan p = arrange(g);
  bool gradients = false;
  for (int k = 0; k < g.noutputs; ++k) gradients |= g.outputs[k].role == output_role::gradient;
  if (gradients) detail::restrict_rows(g, p);
  return fused ? fuse(g, p.view()) : p;
}

extents bound_to(graph_view g, lengths const& n) {
  extents e;
  auto bind = [&](int axis, std::int64_t extent) { if (axis >= 0) e.of[axis] = extent; };
  bind(axis_number<models::batch>(g), n.rows);
  bind(axis_number<models::seq>(g), n.positions);
  bind(axis_number<pass>(g), n.passes);
  return resolve(g, e);
}

void move_parameters(parameter_set<double>& p, std::uint64_t seed) {
  std::mt19937_64 next(seed);
  p.each([&](std::string const&, leaf const&, double* x, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) x[i] += 0.6 * (uniform(next) - 0.5);
  });
}

double apart(std::vector<double> const& x, std::vector<double> const& y) {
  if (x.size() != y.size() || x.empty()) return HUGE_VAL;
  double m = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const d = std::fabs(x[i] - y[i]);
    if (!(d <= m)) m = d;
  }
  return std::isnan(m) ? HUGE_VAL : m;
}

tensors sequence_for(graph_view g, lengths const& n, std::uint64_t seed) {
  tensors r;
  for (int k = 0; k < g.nleaves; ++k) {
    leaf const& l = g.leaves[k];
    if (l.role != leaf_role::index && l.role != leaf_role::input) continue;
    auto& v = r[l.name];
    for (std::int64_t row = 0; row < n.rows; ++row) {
      std::mt19937_64 next(seed * 1000 + static_cast<std::uint64_t>(row) * 10 + (std::string(l.name) == "targets"));
      for (std::int64_t t = 0; t < n.positions; ++t) {
        if (l.role == leaf_role::index) v.push_back(std::floor(uniform(next) * static_cast<double>(g.axes[l.of].extent)));
        else v.push_back(static_cast<double>(t / 4));           // documents of four tokens
      }
    }
  }
  return r;
}

machine::machine(builder&& graph, lengths const& n, bool fused) : machine(static_cast<builder&&>(graph), dyadic::plan{}, n, fused) {}
machine::machine(builder&& graph, dyadic::plan&& plan, lengths const& n, bool fused)
    : graph_(static_cast<builder&&>(graph)), plan_(static_cast<dyadic::plan&&>(plan)), n_(n) {
  if (plan_.s.size == 0) plan_ = planned(graph_.view(), fused);
  extents const e = bound_to(graph_.view(), n);
  parameters_ = shared<parameter_set<double>>::make(graph_.view(), e);
  initialise(*parameters_, seed{1});
  run_ = std::make_unique<runner<double>>(graph_.view(), plan_.view(), e, poisoned());
  run_->bind_parameters(parameters_);
  if (n.subsets > 0) run_->engine().set_active(n.subsets);
}

void machine::set(tensors const& values) {
  for (auto const& [name, v] : values) if (run_->has_input(name)) run_->set(name, std::span<double const>(v));
}

std::vector<double> machine::value(std::string const& name, std::int64_t pass) {
  auto const all = value(name);
  auto const n = static_cast<std::ptrdiff_t>(all.size()) / n_.passes;
  return {all.begin() + pass * n, all.begin() + (pass + 1) * n};
}

std::vector<double> machine::at_last_visit(std::string const& name) {
  auto const all = value(name);
  std::int64_t const n = static_cast<std::int64_t>(all.size()) / (n_.passes * n_.rows * n_.positions);
  std::vector<double> r;
  for (std::int64_t row = 0; row < n_.rows; ++row)
    for (std::int64_t t = 0; t < n_.positions; ++t) {
      std::int64_t const visit = n_.subsets > 0 ? 1 + t % n_.subsets : n_.passes - 1;
      std::int64_t const at = ((visit * n_.rows + row) * n_.positions + t) * n;
      r.insert(r.end(), all.begin() + at, all.begin() + at + n);
    }
  return r;
}

tensors machine::gradients(std::vector<double> const& weight) {
  auto const to = run_->input(run_->seed_leaf("loss"));
  std::copy(weight.begin(), weight.end(), to.begin());
  run();
  tensors r;
  graph_view const g = graph();
  for (int k = 0; k < g.nleaves; ++k) {
    leaf const& l = g.leaves[k];
    int const o = run_->gradient_output(k);
    if (l.role != leaf_role::parameter || o < 0) continue;
    auto const all = run_->engine().output(o);
    std::int64_t const parts = leaf_parts(l, run_->ext), n = leaf_size(l, run_->ext);
    for (std::int64_t i = 0; i < parts; ++i) r[leaf_name(g, l, i)] = std::vector<double>(all.begin() + i * n, all.begin() + (i + 1) * n);
  }
  return r;
}

}  // namespace test
