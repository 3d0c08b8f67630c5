// The plain engine against the evaluator by definition: a graph and its derivatives, under its own plan and memory, in several settings.
#pragma once
#include <cmath>
#include <string>

#include "dyadic/cpu/interpreter.hpp"
#include "dyadic/passes/adjoint.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/memory.hpp"
#include "support/full_storage.hpp"
#include "support/op_graph.hpp"

namespace dyadic::testing {

struct engine_report {
  double error = 0;          ///< largest |engine - definition| / (1 + |definition|)
  double single_error = 0;   ///< the same in float
  int node = -1;
  int tiled = 0;             ///< folds that took tiles
};

inline extents as_extents(std::vector<std::int64_t> const& e) {
  extents r;
  for (std::size_t a = 0; a < e.size(); ++a) r.of[a] = e[a];
  return r;
}

template <class T> struct bound_engine {
  std::vector<std::vector<T>> leaves;
  memory_plan memory;
  cpu::interpreter<T> engine;
  bound_engine(graph_view g, plan_view p, memory_plan const& m, extents const& e, std::vector<std::vector<double>> const& data, cpu::options const& o = {})
      : memory(m), engine(g, p, memory, e, o) {
    for (std::size_t l = 0; l < data.size(); ++l) {
      leaves.emplace_back(data[l].begin(), data[l].end());
      leaves.back().push_back(T(0));
    }
    for (std::size_t l = 0; l < data.size(); ++l) {
      leaf_role const role = g.leaves[l].role;
      if (role != leaf_role::child && role != leaf_role::root && role != leaf_role::active) engine.bind_leaf(static_cast<int>(l), leaves[l].data());
    }
  }
};

/// The outputs of g, engine against definition. random nodes are drawn by the engine's generator on both sides.
inline engine_report check_engine(graph_view g, plan_view p, std::vector<std::int64_t> const& n, std::vector<std::vector<double>> const& data) {
  engine_report r;
  extents const e = as_extents(n);
  reference_evaluator judge(g, n, data);
  judge.random = [&](node const& x, position const& at) {
    std::uint64_t index = 0;
    for (int rank = 0; rank < layout_ranks; ++rank)
      for (int a = 0; a < g.naxes; ++a)
        if ((x.axes >> a & 1) && layout_rank(g.axes[a].role) == rank) index = index * static_cast<std::uint64_t>(e.of[a]) + static_cast<std::uint64_t>(at.of[a]);
    return random_numbers::random_value(x.kind, x.value, true, 7, 3, x.slot, index);
  };
  for (int i = 0; i < p.size; ++i) r.tiled += p[i].kind == stmt::run && p[i].tiled;

  auto compare = [&](auto& run, bool all, double& error) {
    run.engine.set_random(7, 3, true);
    run.engine.run();
    auto one = [&](int i) {
      judge.each(g[i].axes, position{}, [&](position const& at) {
        double const want = judge.at(i, at), got = static_cast<double>(run.engine.value(i, at.of));
        if (want == got) return;
        double const off = std::fabs(got - want) / (1 + std::fabs(want));
        if (std::isnan(want)) return;   // a row that is never read
        if (!(off <= error)) { error = std::isnan(off) ? 1e9 : off; r.node = i; }
      });
    };
    if (all) { for (int i = 0; i < g.size; ++i) if (!(g[i].axes & pair_bit)) one(i); }
    else for (int k = 0; k < g.noutputs; ++k) if (g.outputs[k].node >= 0) one(g.outputs[k].node);
  };
  cpu::options small;
  small.query_block = 2; small.key_block = 3; small.poison = true;
  cpu::options pulled = small;
  pulled.tiles = false;
  cpu::options usual;
  usual.poison = true;
  memory_plan const whole = full_storage(g, e), shared = plan_memory(g, p, e);
  { bound_engine<double> run(g, p, whole, e, data, small); compare(run, true, r.error); }
  { bound_engine<double> run(g, p, shared, e, data, usual); compare(run, false, r.error); }
  { bound_engine<double> run(g, p, shared, e, data, pulled); compare(run, false, r.error); }
  { bound_engine<float> run(g, p, shared, e, data, usual); compare(run, false, r.single_error); }
  return r;
}

/// A graph of one output and its derivatives by every real input.
inline engine_report check_engine(op_graph const& of, std::int64_t n, unsigned seed, bool backward = true) {
  std::vector<std::int64_t> const e = of.extents_for(n);
  std::vector<std::vector<double>> data = of.data_for(e, seed);
  if (!backward) {
    plan const p = arrange(of.b.view());
    return check_engine(of.b.view(), p.view(), e, data);
  }
  adjoint_request request;
  request.outputs = 1;
  request.inputs = true;
  builder const joint = adjoint(of.b.view(), request);
  graph_view const g = joint.view();
  std::mt19937 random(seed + 1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  data.resize(static_cast<std::size_t>(g.nleaves));
  std::int64_t seeds = 1;
  leaf const& l = g.leaves[g.nleaves - 1];
  for (int k = 0; k < l.rank; ++k) seeds *= e[static_cast<std::size_t>(l.order[k])];
  for (std::int64_t i = 0; i < seeds; ++i) data.back().push_back(uniform(random));
  plan const p = arrange(g);
  return check_engine(g, p.view(), e, data);
}

}  // namespace dyadic::testing
