// The plans of evaluation and training: how tokens are visited, that layers and passes are gathered, where weight gradients and attention
// lie, what orders are refused, and how close the arena comes to what is alive.
#include <doctest/doctest.h>

#include "dyadic/passes/memory.hpp"
#include "dyadic/plan/queries.hpp"
#include "support/systems.hpp"

namespace {

using namespace dyadic;
using test::visit;

int seq_of(graph_view g) { return axis_number<models::seq>(g); }

visit visits(graph_view g, plan_view p) {
  if (is_parallel(p, seq_of(g))) return visit::parallel;
  return loops_over(p, seq_of(g), loop_kind::tiled) ? visit::tiled : visit::sequential;
}

/// Statements with a repeat's or a solver's axis outside the loops over it.
int strays(graph_view g, plan_view p) {
  int n = 0;
  for (int a = 0; a < g.naxes; ++a)
    if (g.axes[a].role == axis_role::repeat || g.axes[a].role == axis_role::pass) n += count_outside(g, p, a);
  return n;
}

/// A contraction over all tokens of all rows: a weight's gradient.
bool contracts_tokens(graph_view g, int i) {
  node const& x = g[i];
  if (x.kind != op::contract) return false;
  axis_set const tokens = bit_of(seq_of(g)) | bit_of(axis_number<models::batch>(g));
  return ((g[x.arg[0]].axes | g[x.arg[1]].axes) & ~x.axes & tokens) == tokens;
}

struct weight_gradients { int outside = 0, in_token_loops = 0, outside_layers = 0; };
weight_gradients find_weight_gradients(graph_view g, plan_view p) {
  weight_gradients r;
  r.in_token_loops = count_statements(p, seq_of(g), [&](int i, int depth) { return depth > 0 && contracts_tokens(g, i); });
  r.outside = count_statements(p, seq_of(g), [&](int i, int depth) { return depth == 0 && contracts_tokens(g, i); });
  for (int a = 0; a < g.naxes; ++a) {
    if (g.axes[a].role != axis_role::repeat) continue;
    auto const outside = [&](int i, int depth) { return depth == 0 && (g[i].axes >> a & 1) && contracts_tokens(g, i); };
    r.outside_layers += count_statements(p, a, outside);
  }
  return r;
}

/// Attention computed inside loops over tokens that run backwards.
int attention_replayed(graph_view g, plan_view p) {
  int n = 0, backwards = 0;
  for (int k = 0; k < p.size; ++k) {
    stmt const& s = p[k];
    if (s.kind == stmt::run) n += backwards && g[s.id].kind == op::attend;
    else if (s.id == seq_of(g)) {
      stmt const& begin = s.kind == stmt::begin ? s : p[s.other];
      if (begin.dir < 0) backwards += s.kind == stmt::begin ? 1 : -1;
    }
  }
  return n;
}
int count_of(graph_view g, plan_view p, op kind) {
  return count_statements(p, seq_of(g), [&](int i, int) { return g[i].kind == kind; });
}

}  // namespace

TEST_CASE("plans of systems: how tokens are visited, and everything of a layer in its loop") {
  for (test::training_of const& t : test::trainings()) {
    INFO(t.name());
    bool const solved = t.solver != solver_kind::none;
    builder const forward = test::evaluated(t.of->traced, t.solver), training = test::trained(t.of->traced, t.solver);
    plan const p = test::planned(forward.view()), q = test::planned(training.view());
    REQUIRE(p.stuck < 0);
    REQUIRE(q.stuck < 0);
    CHECK(visits(forward.view(), p.view()) == (solved ? visit::parallel : t.of->evaluation));
    CHECK(visits(training.view(), q.view()) == (solved ? visit::parallel : t.of->training));
    CHECK(strays(forward.view(), p.view()) == 0);
    CHECK(strays(training.view(), q.view()) == 0);
    CHECK(attention_replayed(training.view(), q.view()) == 0);
    weight_gradients const w = find_weight_gradients(training.view(), q.view());
    CHECK(w.outside > 0);
    CHECK(w.in_token_loops == 0);
    CHECK(w.outside_layers == 0);
    CHECK(causal_along(test::evaluated(t.of->traced).view(), seq_of(forward.view())).ok == t.of->causal);
  }
}

TEST_CASE("plans of systems: a recurrent transformer's attention runs once, forwards; its backward is tiles") {
  for (char const* name : {"recurrent, modern", "recurrent, official", "recurrent, layers outside"}) {
    INFO(name);
    builder const g = test::trained(test::system_called(name).traced);
    plan const p = test::planned(g.view());
    CHECK(count_of(g.view(), p.view(), op::attend) == 1);
    CHECK(count_of(g.view(), p.view(), op::attend_dk) == 1);
    CHECK(count_of(g.view(), p.view(), op::attend_dv) == 1);
    CHECK(is_nested(p.view(), axis_number<models::layer>(g.view()), seq_of(g.view())));
    CHECK(!is_nested(p.view(), seq_of(g.view()), axis_number<models::layer>(g.view())));
    CHECK(loops_over(p.view(), seq_of(g.view()), loop_kind::tiled) == 2);
    CHECK(loops_over(p.view(), seq_of(g.view()), loop_kind::untiled) == 0);
  }
}

TEST_CASE("plans of systems: what feeds the top of the stack back runs token by token; layers cannot be outside") {
  for (test::system const& s : test::systems()) {
    if (!s.feedback) continue;
    INFO(s.name);
    builder const g = test::evaluated(s.traced);
    int const layer = axis_number<models::layer>(g.view()), seq = seq_of(g.view());
    plan const p = arrange(g.view());
    CHECK(is_nested(p.view(), seq, layer));
    CHECK(!is_nested(p.view(), layer, seq));
    order layers_outside;
    layers_outside.force = layer;
    CHECK(arrange(g.view(), layers_outside).stuck >= 0);
    order tokens_outside;
    tokens_outside.force = seq;
    CHECK(arrange(g.view(), tokens_outside).stuck < 0);
  }
}

TEST_CASE("plans of systems: tokens outermost is refused only where the future is read") {
  for (test::system const& s : test::systems()) {
    INFO(s.name);
    builder const g = test::evaluated(s.traced);
    order o;
    o.force = seq_of(g.view());
    CHECK((arrange(g.view(), o).stuck < 0) == s.causal);
  }
}

TEST_CASE("memory of systems: the arena is at most 1.1 times what is alive at once") {
  struct row { char const* name; solver_kind solver; };
  constexpr solver_kind none = solver_kind::none;
  for (row const& r : {row{"recurrent, modern", none}, row{"transformer", none}, row{"full bandwidth", solver_kind::jacobi},
                       row{"latent, shared", solver_kind::interleaved}, row{"gru memory, chunked", none}, row{"recursive lstm", none}}) {
    INFO(r.name);
    builder const g = test::trained(test::system_called(r.name).traced, r.solver);
    plan const p = test::planned(g.view());
    for (std::int64_t positions : {13, 256}) {
      test::lengths const n = test::training_of{&test::system_called(r.name), r.solver}.bound(4, positions);
      memory_plan const m = plan_memory(g.view(), p.view(), test::bound_to(g.view(), n));
      CHECK(m.live_peak > 0);
      CHECK(m.arena >= m.live_peak);
      CHECK(static_cast<double>(m.arena) <= 1.1 * static_cast<double>(m.live_peak));
    }
  }
}
