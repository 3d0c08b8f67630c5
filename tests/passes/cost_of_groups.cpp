// What groups move: every operand once for each walk that needs it, every stored result once.
#include <doctest/doctest.h>

#include "dyadic/nn.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/cost.hpp"
#include "dyadic/passes/fuse.hpp"
#include "support/op_graph.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {
program_cost fused_cost(op_graph& of, std::int64_t n, bool everything = false) {
  std::vector<std::int64_t> const of_axes = of.extents_for(n);
  extents e;
  for (std::size_t a = 0; a < of_axes.size(); ++a) e.of[a] = of_axes[a];
  plan const p = fuse(of.b.view(), arrange(of.b.view()).view(), {.everything = everything});
  return measure_cost(of.b.view(), p.view(), e);
}
}  // namespace

TEST_CASE("a chain of maps reads its operands and writes its end") {
  op_graph t;
  auto const x = t.real<row, col>();
  auto const y = t.real<col>();
  t.result(tanh(x * y + 1.0) * x);
  program_cost const c = fused_cost(t, 5);
  CHECK(c.bytes == 4 * (15 + 5 * 3 + 15));   // y is read again for every row
  CHECK(c.kernels == 1);
}
TEST_CASE("a norm reads its row twice, a softmax three times") {
  op_graph t;
  t.result(rms_normalize<col>(t.real<row, col>(), 1e-5));
  CHECK(fused_cost(t, 7, true).bytes == 4 * 7 * 3 * 3);
  op_graph s;
  s.result(softmax<col>(s.real<row, col>()));
  CHECK(fused_cost(s, 7, true).bytes == 4 * 7 * 3 * 4);
  CHECK(fused_cost(s, 7, true).kernels == 1);
  op_graph l;
  l.result(logsumexp<col>(l.real<row, col>()));
  CHECK(fused_cost(l, 7, true).bytes == 4 * 7 * (2 * 3 + 1));
}
TEST_CASE("a table gives what is picked of it") {
  op_graph t;
  t.result(gather<col>(t.real<col, dep>(), t.index<row>(-1, 3)));
  CHECK(fused_cost(t, 11).bytes == 4 * (11 * 2 + 11 * 2 + 11));
}
