// Graphs and plans as text.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "dyadic/passes/arrange.hpp"
#include "dyadic/plan/print.hpp"
#include "support/hand_made.hpp"

namespace {

// A state along the sequence over a projected input, and an attend over its own outputs.
dyadic::builder example() {
  test::hand_made m;
  int const x = m.input(m.row()), q = m.tanh(x), h = m.prev(m.seq, m.row());
  int const a = m.attend(m.seq, q, -1, -1, m.score(q)), z = m.add(a, h);
  m.append(a, z, z);
  m.write(h, z);
  m.result(m.sum(z, m.feature));
  return m.b;
}

}  // namespace

TEST_CASE("print: a graph as a table") {
  CHECK(dyadic::to_table(example().view()) ==
        "0    input                                  [batch seq feature]          x\n"
        "1    tanh               0                   [batch seq feature]\n"
        "2    prev               5-                  [batch seq feature]          along seq = 1\n"
        "3    score                                  [batch seq pair]\n"
        "4    attend             1 _ _ 5- 5- 3       [batch seq feature]          along seq and feature\n"
        "5    add                4 2                 [batch seq feature]\n"
        "6    sum                5                   [batch seq] -> result loss\n");
}

TEST_CASE("print: a plan as a table") {
  dyadic::builder const g = example();
  dyadic::plan const p = dyadic::arrange(g.view());
  CHECK(dyadic::to_table(g.view(), p.view()) ==
        "tanh.1\n"
        "for seq up, tiled\n"
        "  prev.2 attend.4(tiles) add.5\n"
        "sum.6\n");
  dyadic::order o;
  o.force = 1;
  dyadic::plan const s = dyadic::arrange(g.view(), o);
  CHECK(dyadic::to_table(g.view(), s.view()) ==
        "for seq up\n"
        "  tanh.1 prev.2 attend.4 add.5 sum.6\n");
}

TEST_CASE("print: Graphviz") {
  dyadic::builder const g = example();
  dyadic::plan const p = dyadic::arrange(g.view());
  std::string const graph = dyadic::to_dot(g.view()), plan = dyadic::to_dot(g.view(), p.view());
  CHECK(graph.find("  n2 [label=\"2 prev\\nalong seq = 1\\n[batch seq feature]\"];") != std::string::npos);
  CHECK(graph.find("  n5 -> n2 [style=dashed, constraint=false, label=\"seq -\"];") != std::string::npos);
  CHECK(plan.find("label=\"for seq up, tiled\";") != std::string::npos);
  CHECK(std::count(graph.begin(), graph.end(), '{') == std::count(graph.begin(), graph.end(), '}'));
  CHECK(std::count(plan.begin(), plan.end(), '{') == std::count(plan.begin(), plan.end(), '}'));
}
