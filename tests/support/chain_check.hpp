// The whole chain on a random model: simplify, solve, adjoint, cuts, arrange, memory, engine; values and gradients against the evaluator by
// definition of the graph that no pass has touched.
#pragma once
#include <cmath>
#include <string>

#include "dyadic/cpu/interpreter.hpp"
#include "dyadic/passes/fuse.hpp"
#include "dyadic/passes/adjoint.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/causality.hpp"
#include "dyadic/passes/cuts.hpp"
#include "dyadic/passes/memory.hpp"
#include "dyadic/passes/program.hpp"
#include "dyadic/passes/simplify.hpp"
#include "dyadic/passes/solve.hpp"
#include "support/random_model.hpp"
#include "support/reference_evaluator.hpp"

namespace test {

using dyadic::builder;

struct chain_report {
  std::string wrong;           ///< the first disagreement; empty when all is well
  double error = 0;            ///< the largest |engine - definition| / (1 + |definition|) met
  long compared = 0;           ///< values
  int tiled = 0, streamed = 0, solved = 0, gradients = 0, groups = 0;
};

class chain_check {
 public:
  static constexpr double tolerance = 1e-9;
  chain_report r;

  chain_check(random_model& model, unsigned seed, std::int64_t length) : m_(model), seed_(seed) {
    builder const simple = dyadic::simplify(m_.b.view());
    dyadic::graph_view const raw = m_.b.view();
    whole_.what = "forward, ";
    whole_.e = m_.sizes(length, seed);
    run(raw, simple, whole_);
    int const seq = m_.seq;
    if (r.wrong.empty() && length > 0 && !m_.moved_windows && dyadic::causal_along(simple.view(), seq).ok) stream(raw, simple);
    train(raw, simple, "", dyadic::solver_kind::none);
    if (!m_.feedback || !r.wrong.empty()) return;
    dyadic::solver_kind const kind = seed % 2 ? dyadic::solver_kind::jacobi : dyadic::solver_kind::interleaved;
    builder const solved = dyadic::solve(simple.view(), seq, kind), lean = dyadic::simplify(solved.view());
    ++r.solved;
    if (kind == dyadic::solver_kind::jacobi && length <= 5) converge(raw, solved.view());
    train(solved.view(), lean, kind == dyadic::solver_kind::jacobi ? "jacobi, " : "interleaved, ", kind);
  }

 private:
  struct setting {
    std::string what;
    dyadic::extents e;
    bool active = false;      ///< rows that are not active in a pass need not be computed
  };
  random_model& m_;
  unsigned seed_;
  setting whole_;

  static std::vector<std::int64_t> as_vector(dyadic::extents const& e) { return {e.of, e.of + dyadic::max_axes}; }
  std::int64_t length() const { return whole_.e.of[m_.seq]; }

  /// Data of every leaf; the rows of a solver, and a cotangent that is 0 where a pass does not work on a row.
  std::vector<std::vector<double>> data_for(dyadic::graph_view g, dyadic::extents const& e) const {
    std::mt19937 random(seed_ + 1);
    std::vector<std::vector<double>> data;
    int passes = -1;
    for (int l = 0; l < g.nleaves; ++l) {
      data.push_back(random_model::leaf_data(g, l, e, random));
      dyadic::leaf const& x = g.leaves[l];
      if (x.role == dyadic::leaf_role::active) {
        passes = x.order[0];
        for (std::int64_t p = 0; p < e.of[passes]; ++p)
          for (std::int64_t t = 0; t < e.of[m_.seq]; ++t) data.back().push_back(is_active(e, passes, p, t));
      }
      if (x.role == dyadic::leaf_role::seed && passes >= 0) mask(data.back(), g, x, e, passes);
    }
    return data;
  }
  static bool is_active(dyadic::extents const& e, int passes, std::int64_t p, std::int64_t t) {
    std::int64_t const stride = e.of[passes] - 1;
    return p == 0 || (stride > 0 && t % stride == p - 1);
  }
  void mask(std::vector<double>& v, dyadic::graph_view g, dyadic::leaf const& x, dyadic::extents const& e, int passes) const {
    (void)g;
    for (std::size_t i = 0; i < v.size(); ++i) {
      std::int64_t rest = static_cast<std::int64_t>(i), p = -1, t = -1;
      for (int d = x.rank - 1; d >= 0; --d) {
        std::int64_t const at = rest % e.of[x.order[d]];
        rest /= e.of[x.order[d]];
        if (x.order[d] == passes) p = at;
        if (x.order[d] == m_.seq) t = at;
      }
      if (p >= 0 && t >= 0 && !is_active(e, passes, p, t)) v[i] = 0;
    }
  }
  static double draw(dyadic::graph_view g, dyadic::extents const& e, node const& x, dyadic::testing::position const& at) {
    std::uint64_t index = 0;
    for (int rank = 0; rank < dyadic::layout_ranks; ++rank)
      for (int a = 0; a < g.naxes; ++a)
        if ((x.axes >> a & 1) && dyadic::layout_rank(g.axes[a].role) == rank)
          index = index * static_cast<std::uint64_t>(e.of[a]) + static_cast<std::uint64_t>(at.of[a]);
    return dyadic::random_numbers::random_value(x.kind, x.value, true, 7, 3, x.slot, index);
  }

  struct bound {
    std::vector<std::vector<double>> leaves;
    dyadic::memory_plan memory;
    dyadic::cpu::interpreter<double> engine;
    bound(dyadic::graph_view g, dyadic::plan_view p, dyadic::memory_plan const& m, dyadic::extents const& e,
          std::vector<std::vector<double>> const& data, dyadic::cpu::options const& o)
        : leaves(data), memory(m), engine(g, p, memory, e, o) {
      for (int l = 0; l < g.nleaves; ++l) {
        dyadic::leaf_role const role = g.leaves[l].role;
        auto& v = leaves[static_cast<std::size_t>(l)];
        v.push_back(0);
        bool const own = role == dyadic::leaf_role::child || role == dyadic::leaf_role::root || role == dyadic::leaf_role::active;
        if (!own) engine.bind_leaf(l, v.data());
      }
      engine.set_random(7, 3, true);
    }
  };

  void compare(double want, double got, std::string const& what, int output) {
    ++r.compared;
    if (want == got) return;
    double const off = std::fabs(got - want) / (1 + std::fabs(want));
    if (off <= tolerance) { r.error = std::max(r.error, off); return; }
    if (r.wrong.empty()) r.wrong = what + "output " + std::to_string(output) + ": " + std::to_string(got) + ", not " + std::to_string(want);
  }
  using evaluator = dyadic::testing::reference_evaluator;
  static int counterpart(dyadic::graph_view g, dyadic::output const& o) {
    for (int k = 0; k < g.noutputs; ++k) {
      dyadic::output const& mine = g.outputs[k];
      if (mine.role != o.role) continue;
      if (o.role == dyadic::output_role::gradient ? mine.leaf == o.leaf : dyadic::detail::same_text(mine.name, o.name)) return k;
    }
    return -1;
  }
  void compare_all(evaluator& judge, dyadic::graph_view g, dyadic::cpu::interpreter<double> const& engine, setting const& s) {
    int passes = -1;
    for (int a = 0; a < g.naxes; ++a) if (g.axes[a].role == axis_role::pass) passes = a;
    for (int k = 0; k < judge.g.noutputs && r.wrong.empty(); ++k) {
      dyadic::output const& o = judge.g.outputs[k];
      int const mine = counterpart(g, o), i = mine >= 0 ? g.outputs[mine].node : -1;
      bool const gradient = o.role == dyadic::output_role::gradient;
      r.gradients += gradient;
      axis_set shape = judge.g[o.node].axes;
      if (i >= 0) shape |= g[i].axes;
      judge.each(shape, {}, [&](dyadic::testing::position const& at) {
        bool const some_rows = s.active && !gradient && (shape >> passes & 1) && (shape >> m_.seq & 1);
        if (some_rows && !is_active(s.e, passes, at.of[passes], at.of[m_.seq])) return;
        double const want = judge.at(o.node, at);
        compare(want, i >= 0 ? engine.value(i, at.of) : 0, s.what, k);   // a leaf that nothing depends on has no gradient
      });
    }
    if (judge.cycle >= 0 && r.wrong.empty()) r.wrong = s.what + "the graph itself is circular at node " + std::to_string(judge.cycle);
  }
  /// g, some form of what `raw` defines, under its plan.
  void run(dyadic::graph_view raw, builder const& form, setting const& s) {
    dyadic::graph_view const g = form.view();
    dyadic::plan p = dyadic::arrange(g);
    if (s.active) dyadic::detail::restrict_rows(g, p);
    if (p.stuck >= 0) { r.wrong = s.what + "stuck at node " + std::to_string(p.stuck); return; }
    for (int i = 0; i < p.s.size; ++i) r.tiled += p.s[i].kind == dyadic::stmt::run && p.s[i].tiled;
    std::vector<std::vector<double>> const data = data_for(raw, s.e);
    evaluator judge(raw, as_vector(s.e), data);
    judge.random = [&](node const& x, dyadic::testing::position const& at) { return draw(raw, s.e, x, at); };
    dyadic::memory_plan const memory = dyadic::plan_memory(g, p.view(), s.e);
    dyadic::plan const fused = dyadic::fuse(g, p.view());
    r.groups += dyadic::groups_of(fused.view());
    dyadic::memory_plan const of_fused = dyadic::plan_memory(g, fused.view(), s.e);
    for (int way = 0; way < 3; ++way) {
      dyadic::cpu::options o;
      o.query_block = 2; o.key_block = 3; o.poison = true; o.tiles = way != 1;
      bound b(g, way == 2 ? fused.view() : p.view(), way == 2 ? of_fused : memory, s.e, data, o);
      b.engine.run();
      setting named = s;
      named.what += way == 0 ? "tiles, " : way == 1 ? "no tiles, " : "fused, ";
      compare_all(judge, g, b.engine, named);
    }
  }
  /// Row by row, what later rows need kept in the state.
  void stream(dyadic::graph_view raw, builder const& form) {
    dyadic::graph_view const g = form.view();
    dyadic::order order;
    order.force = m_.seq;
    dyadic::plan const p = dyadic::arrange(g, order);
    if (p.stuck >= 0) { r.wrong = "streamed: stuck at node " + std::to_string(p.stuck); return; }
    ++r.streamed;
    std::vector<std::vector<double>> const data = data_for(raw, whole_.e);
    evaluator judge(raw, as_vector(whole_.e), data);
    judge.random = [&](node const& x, dyadic::testing::position const& at) { return draw(raw, whole_.e, x, at); };
    dyadic::memory_request request;
    request.stream = m_.seq;
    request.window = 1;
    dyadic::cpu::options o;
    o.poison = true;
    dyadic::plan const fused = dyadic::fuse(g, p.view());
    r.groups += dyadic::groups_of(fused.view());
    bound b(g, p.view(), dyadic::plan_memory(g, p.view(), whole_.e, request), whole_.e, data, o);
    stream_rows(raw, g, b, judge, "streamed, row ");
    bound c(g, fused.view(), dyadic::plan_memory(g, fused.view(), whole_.e, request), whole_.e, data, o);
    stream_rows(raw, g, c, judge, "streamed and fused, row ");
  }
  void stream_rows(dyadic::graph_view raw, dyadic::graph_view g, bound& b, evaluator& judge, char const* what) {
    for (std::int64_t t = 0; t < length() && r.wrong.empty(); ++t) {
      b.engine.set_rows(m_.seq, t, t + 1);
      b.engine.run();
      for (int k = 0; k < g.noutputs; ++k) {
        int const i = g.outputs[k].node;
        if (!(raw[raw.outputs[k].node].axes >> m_.seq & 1)) continue;
        dyadic::testing::position at;
        at.of[m_.seq] = t;
        judge.each(raw[raw.outputs[k].node].axes & ~bit_of(m_.seq), at, [&](dyadic::testing::position const& q) {
          compare(judge.at(raw.outputs[k].node, q), b.engine.value(i, q.of), what + std::to_string(t) + ", ", k);
        });
      }
    }
  }
  /// As many passes as positions, and one more: the solver has reached what it solves.
  void converge(dyadic::graph_view raw, dyadic::graph_view solved) {
    dyadic::extents more = whole_.e;
    int passes = -1;
    for (int a = 0; a < solved.naxes; ++a) if (solved.axes[a].role == axis_role::pass) passes = a;
    more.of[passes] = length() + 1;
    evaluator exact(raw, as_vector(whole_.e), data_for(raw, whole_.e)), last(solved, as_vector(more), data_for(solved, more));
    exact.random = last.random = [&](node const& x, dyadic::testing::position const& at) { return draw(raw, whole_.e, x, at); };
    for (int k = 0; k < raw.noutputs; ++k) {
      exact.each(raw[raw.outputs[k].node].axes, {}, [&](dyadic::testing::position const& at) {
        compare(exact.at(raw.outputs[k].node, at), last.at(solved.outputs[k].node, at.with(passes, length())), "jacobi's last pass, ", k);
      });
    }
  }
  void train(dyadic::graph_view raw, builder const& form, std::string const& what, dyadic::solver_kind kind) {
    dyadic::adjoint_request request;
    request.outputs = 1;
    request.inputs = true;
    builder const truth = dyadic::adjoint(raw, request), joint = dyadic::simplify(dyadic::adjoint(form.view(), request).view());
    setting s;
    s.e = whole_.e;
    s.active = kind == dyadic::solver_kind::interleaved;
    for (int a = 0; a < truth.axes.size; ++a) if (truth.axes[a].role == axis_role::pass) s.e.of[a] = s.active ? 4 : 3;
    using dyadic::keep_policy;
    constexpr struct { keep_policy policy; char const* name; } policies[] = {
        {keep_policy::keep_all, "keep all, "}, {keep_policy::recompute_maps, "recompute maps, "}, {keep_policy::boundary, "boundary, "}};
    for (auto const& k : policies) {
      if (!r.wrong.empty()) return;
      s.what = what + k.name;
      run(truth.view(), dyadic::cuts(joint.view(), k.policy), s);
    }
  }
};

/// One model of these choices at one length.
inline chain_report check_chain(choices& c, unsigned seed, std::int64_t length) {
  random_model m(c, 7);
  return chain_check(m, seed, length).r;
}

}  // namespace test
