// Runs over pieces of a sequence: one position at a time under the streaming plan, and pieces of any length under the parallel one. What
// lies outside the state is NaN before every run.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "cpu/engine_check.hpp"
#include "support/recurrence_cases.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {

int axis_by_key(graph_view g, std::uint64_t key) {
  for (int a = 0; a < g.naxes; ++a) if (g.axes[a].key == key) return a;
  return -1;
}

/// The largest difference from the definition when the rows come in pieces of the given lengths (the last one repeats).
double in_pieces(op_graph const& t, std::int64_t n, bool forced, std::int64_t window, std::vector<std::int64_t> const& lengths) {
  graph_view const g = t.b.view();
  int const axis = axis_by_key(g, axis_key<row>);
  std::vector<std::int64_t> const ext = t.extents_for(n);
  std::vector<std::vector<double>> const data = t.data_for(ext, 11);
  order o;
  if (forced) o.force = axis;
  plan const p = arrange(g, o);
  memory_request request;
  request.stream = axis;
  request.window = window;
  memory_plan const m = plan_memory(g, p.view(), as_extents(ext), request);
  cpu::options usual;
  usual.poison = true;
  bound_engine<double> run(g, p.view(), m, as_extents(ext), data, usual);
  reference_evaluator judge(g, ext, data);
  int const y = g.outputs[0].node;
  double error = 0;
  std::size_t piece = 0;
  for (std::int64_t t0 = 0; t0 < n;) {
    std::int64_t const length = std::min(lengths[piece], n - t0);
    if (piece + 1 < lengths.size()) ++piece;
    run.engine.set_rows(axis, t0, t0 + length);
    run.engine.run();
    judge.each(g[y].axes & ~bit_of(axis), testing::position{}, [&](testing::position const& at) {
      for (std::int64_t i = t0; i < t0 + length; ++i) {
        testing::position const here = at.with(axis, i);
        double const off = std::fabs(run.engine.value(y, here.of) - judge.at(y, here));
        if (!(off <= error)) error = std::isnan(off) ? 1e9 : off;
      }
    });
    t0 += length;
  }
  return error;
}

}  // namespace

TEST_CASE("position by position equals the whole") {
  for (recurrence_case const& c : recurrence_cases) {
    if (std::string(c.name) == "shift later") continue;   // not causal
    for (int n : {1, 2, 3, 7, 17}) {
      CAPTURE(std::string(c.name));
      CAPTURE(n);
      op_graph t;
      c.build(t);
      detail::link(t.b);
      CHECK(in_pieces(t, n, true, 0, {1}) <= 1e-12);
      CHECK(in_pieces(t, n, true, 1, {1}) <= 1e-12);
    }
  }
}

TEST_CASE("pieces of any length equal the whole") {
  for (recurrence_case const& c : recurrence_cases) {
    if (std::string(c.name) == "shift later" || std::string(c.name) == "tree") continue;   // a tree is streamed by its own plan
    for (int n : {1, 2, 7, 17}) {
      CAPTURE(std::string(c.name));
      CAPTURE(n);
      op_graph t;
      c.build(t);
      detail::link(t.b);
      CHECK(in_pieces(t, n, false, 5, {5}) <= 1e-12);
      CHECK(in_pieces(t, n, false, 6, {1, 4, 6, 2}) <= 1e-12);
      CHECK(in_pieces(t, n, true, 4, {3, 1, 4}) <= 1e-12);
    }
  }
}
