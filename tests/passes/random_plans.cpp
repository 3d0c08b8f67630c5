// Plans of random graphs: forwards, backwards, with recomputation, under a solver and streamed. Every plan is executed on points.
#include <doctest/doctest.h>

#include "dyadic/passes/adjoint.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/cuts.hpp"
#include "dyadic/passes/simplify.hpp"
#include "dyadic/passes/solve.hpp"
#include "dyadic/plan/queries.hpp"
#include "support/plan_checker.hpp"
#include "support/random_graph.hpp"

namespace {

using dyadic::axis_role;
using dyadic::builder;

dyadic::extents sizes(dyadic::graph_view g, int length, int depth) {
  dyadic::extents e;
  for (int a = 0; a < g.naxes; ++a) {
    if (g.axes[a].rule != dyadic::extent_rule::bound) continue;
    axis_role const r = g.axes[a].role;
    e.of[a] = a == 1 ? length : r == axis_role::repeat ? depth : r == axis_role::pass ? 2 : r == axis_role::plain ? 2 : 3;
  }
  e.of[0] = 1;
  return e;
}
/// Checks one plan; count: statements with a repeat or pass axis outside loops over it.
int check(builder const& b, char const* what, dyadic::order const& o = {}) {
  dyadic::graph_view const g = b.view();
  dyadic::plan const p = dyadic::arrange(g, o);
  std::string v;
  for (int length : {1, 4, 7}) if (v.empty()) v = test::violation(g, p.view(), sizes(g, length, length == 4 ? 3 : 2));
  CHECK_MESSAGE(v == "", what << ": " << v << "\n" << dyadic::to_table(g) << dyadic::to_table(g, p.view()));
  int outside = 0;
  for (int a = 0; a < g.naxes; ++a)
    if (g.axes[a].role == axis_role::repeat || g.axes[a].role == axis_role::pass) outside += dyadic::count_outside(g, p.view(), a);
  CHECK_MESSAGE(outside == 0, what << ": " << outside << " statements outside\n" << dyadic::to_table(g, p.view()));
  return outside;
}

}  // namespace

TEST_CASE("random graphs: plans are complete, in order, and gather the layers") {
  int causal = 0, solved = 0, tiles = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    test::random_graph r(seed);
    builder const g = dyadic::simplify(r.make().view());
    int const seq = r.m.seq;
    check(g, "forward");
    builder const joint = dyadic::simplify(dyadic::adjoint(g.view()).view());
    REQUIRE(joint.error == dyadic::fault::none);
    check(joint, "joint");
    tiles += dyadic::loops_over(dyadic::arrange(joint.view()).view(), seq, dyadic::loop_kind::tiled);
    check(dyadic::cuts(joint.view(), dyadic::keep_policy::recompute_maps), "training");
    dyadic::causality const c = dyadic::causal_along(g.view(), seq);
    CHECK(c.ok == r.causal);
    if (c.ok) {
      dyadic::order o;
      o.force = seq;
      check(g, "streamed", o);
      ++causal;
    }
    if (r.feedback) {
      builder const s =
          dyadic::simplify(dyadic::solve(g.view(), seq, seed % 2 ? dyadic::solver_kind::jacobi : dyadic::solver_kind::interleaved).view());
      check(s, "solved");
      check(dyadic::simplify(dyadic::adjoint(s.view()).view()), "solved joint");
      ++solved;
    }
  }
  CHECK(causal > 100);
  CHECK(solved > 50);
  CHECK(tiles > 50);
}
