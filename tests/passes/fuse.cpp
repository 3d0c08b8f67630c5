// Fusion: which statements become a group, what is stored of it, and that kernels depend on what a group computes alone. That fused plans
// keep every value is shown by ../cpu/random_models.cpp and ../models/golden.cpp.
#include <doctest/doctest.h>

#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/nn.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/fused.hpp"
#include "dyadic/passes/memory.hpp"
#include "support/op_graph.hpp"

using namespace dyadic;
using namespace dyadic::testing;
using models::batch;
using models::seq;

namespace {

struct fused_graph {
  op_graph of;
  plan p;
  memory_plan m;
  void finish(bool everything = false) {
    p = fuse(of.b.view(), arrange(of.b.view()).view(), {.everything = everything});
    std::vector<std::int64_t> const n = of.extents_for(5);
    extents e;
    for (std::size_t a = 0; a < n.size(); ++a) e.of[a] = n[a];
    m = plan_memory(of.b.view(), p.view(), e);
  }
  int group_of(int node) const {
    for (int s = 0; s < p.s.size; ++s) if (p.s[s].kind == stmt::run && p.s[s].id == node) return p.s[s].group;
    return -2;
  }
  bool stored(int node) const { return m.of[node].region != storage::none; }
};

constexpr models::config narrow{.vocabulary = 256, .width = 64, .layers = 2, .heads = 4, .hidden = 128};
constexpr models::config wide_and_deep{.vocabulary = 512, .width = 128, .layers = 6, .heads = 8, .hidden = 384};

/// The same words, group by group.
template <class A, class B> constexpr bool same_kernels() {
  auto const& a = dyadic::detail::fused_plan<dyadic::detail::usual_plan<A>>::codes;
  auto const& b = dyadic::detail::fused_plan<dyadic::detail::usual_plan<B>>::codes;
  if (a.groups != b.groups || a.begin[a.groups] != b.begin[b.groups]) return false;
  for (int i = 0; i < a.begin[a.groups]; ++i) if (a.word[i] != b.word[i]) return false;
  return true;
}

}  // namespace

TEST_CASE("a chain of pointwise statements is one group, and only its end is stored") {
  fused_graph f;
  auto x = f.of.real<row, col>();
  auto a = exp(x);
  auto b = a * x;
  auto c = tanh(b + 1);
  f.of.result(c);
  f.finish();
  CHECK(f.group_of(a.id) >= 0);
  CHECK(f.group_of(a.id) == f.group_of(b.id));
  CHECK(f.group_of(b.id) == f.group_of(c.id));
  CHECK_FALSE(f.stored(a.id));
  CHECK_FALSE(f.stored(b.id));
  CHECK(f.stored(c.id));
  CHECK(groups_of(f.p.view()) == 1);
}
TEST_CASE("a value that something else reads is stored, and its readers come after it") {
  fused_graph f;
  auto x = f.of.real<row, col>();
  auto a = exp(x);
  auto s = cast<f32>(argmax<col>(a));   // argmax is in no group: the group of a ends here
  auto b = a * s;
  auto c = b + a;
  f.of.result(c);
  f.finish();
  CHECK(f.stored(a.id));
  CHECK(f.group_of(a.id) == -1);
  CHECK(f.group_of(b.id) == f.group_of(c.id));
  int at_a = -1, at_s = -1, at_b = -1;
  for (int s0 = 0; s0 < f.p.s.size; ++s0) {
    if (f.p.s[s0].id == a.id) at_a = s0;
    if (f.p.s[s0].id == s.id) at_s = s0;
    if (f.p.s[s0].id == b.id) at_b = s0;
  }
  CHECK(at_a < at_s);
  CHECK(at_s < at_b);
}
TEST_CASE("a softmax along the row joins what is around it, another does not") {
  fused_graph f;
  auto x = f.of.real<row, col>();
  auto a = x * 0.5;
  auto s = softmax<col>(a);
  auto b = s * x;
  auto l = logsumexp<col>(b);
  auto other = softmax<row>(x) * 2.0;
  f.of.result(b);
  f.of.result(l);
  f.of.result(other);
  f.finish(true);
  for (int i : {a.id, s.id, b.id, l.id}) CHECK(f.group_of(i) == f.group_of(a.id));
  CHECK_FALSE(f.stored(a.id));
  CHECK_FALSE(f.stored(s.id));
  auto const g = f.of.b.view();
  for (int i = 0; i < g.size; ++i)
    if (g[i].kind == op::softmax && i != s.id) CHECK(f.group_of(i) == -1);
  fused_graph alone;
  alone.of.result(softmax<col>(alone.of.real<row, col>() * 0.5));
  alone.finish();
  CHECK(groups_of(alone.p.view()) == 0);
  int first = 0;
  while (f.p.s[first].kind != stmt::run || f.p.s[first].group != f.group_of(a.id)) ++first;
  int end = first;
  while (end < f.p.s.size && f.p.s[end].group == f.group_of(a.id)) ++end;
  group_code const c = code_of(g, f.p.view(), dyadic::detail::group_readers(g, f.p.view()), first, end);
  CHECK(c.count == 12);
  CHECK(c.phases == 4);   // the maximum; the sum; the product and its maximum; their sum
  CHECK(c.results == 2);
}
TEST_CASE("a norm is one group: what its reductions give is used in it") {
  fused_graph f;
  auto x = f.of.real<row, col>();
  auto squares = x * x;
  auto s = sum<col>(squares);
  auto scale = rsqrt(s / 3.0 + 1e-6);
  auto y = x * scale;
  f.of.result(y);
  f.finish();
  for (int i : {squares.id, s.id, scale.id, y.id}) CHECK(f.group_of(i) == 0);
  for (int i : {squares.id, s.id, scale.id}) CHECK_FALSE(f.stored(i));
  auto const g = f.of.b.view();
  int first = 0;
  while (f.p.s[first].kind != stmt::run || f.p.s[first].group < 0) ++first;
  int end = first;
  while (end < f.p.s.size && f.p.s[end].group == 0) ++end;
  group_code const c = code_of(g, f.p.view(), dyadic::detail::group_readers(g, f.p.view()), first, end);
  CHECK(c.phases == 2);
  CHECK(c.results == 1);
  CHECK(c.rows);
}
TEST_CASE("a sum over the other axes may end a group, a sum over some of each may not") {
  fused_graph f;
  auto x = f.of.real<row, dep, col>();
  auto a = exp(x);
  auto columns = sum<row, dep>(a);
  auto mixed = sum<row, col>(a);
  f.of.result(columns);
  f.of.result(mixed);
  f.finish();
  CHECK(f.group_of(a.id) >= 0);
  CHECK(f.group_of(columns.id) == f.group_of(a.id));
  CHECK(f.group_of(mixed.id) == -1);
}
TEST_CASE("a step's word holds all of it") {
  group_step s;
  s.kind = op::select;
  s.type = dtype::boolean;
  s.level = member_level::columns;
  s.phase = 5;
  s.stored = true;
  s.arg[0] = 3; s.arg[1] = group_step::operand_zero + 13; s.arg[2] = group_step::absent;
  group_step const t = group_step::of(s.word());
  CHECK(t.kind == s.kind);
  CHECK(t.type == s.type);
  CHECK(t.level == s.level);
  CHECK(t.phase == s.phase);
  CHECK(t.stored);
  for (int k = 0; k < 3; ++k) CHECK(t.arg[k] == s.arg[k]);
}
TEST_CASE("models that differ in extents only share every kernel, and a program needs few") {
  static_assert(same_kernels<training<models::transformer<narrow>>, training<models::transformer<wide_and_deep>>>());
  static_assert(same_kernels<training<models::recurrent_transformer<narrow>>, training<models::recurrent_transformer<wide_and_deep>>>());
  CHECK(group_kernel_count<training<models::transformer<narrow>>> <= 26);
  CHECK(group_kernel_count<training<models::recurrent_transformer<narrow>>> <= 27);
  CHECK(group_count<training<models::transformer<narrow>>> >= group_kernel_count<training<models::transformer<narrow>>>);
}
