// Identities that tie the definitions together: solvers at enough passes against the recurrence, what passes are exact where, and that the
// future moves nothing.
#include <doctest/doctest.h>

#include "support/systems.hpp"

namespace {

using namespace dyadic;
using test::apart;
using test::lengths;
using test::machine;

constexpr std::int64_t rows = 2, positions = 9;
constexpr double rounding = 1e-10;

/// A model's evaluation with parameters and a sequence that only the seeds decide.
struct ready : machine {
  ready(graph_view traced, solver_kind solver, lengths const& n) : machine(test::evaluated(traced, solver), n) {
    test::move_parameters(parameters(), 3);
    set(test::sequence_for(traced, n));
  }
  explicit ready(graph_view traced) : ready(traced, solver_kind::none, {rows, positions}) {}
};

/// [row, position, class] at positions [begin, end).
std::vector<double> between(std::vector<double> const& all, std::int64_t begin, std::int64_t end) {
  std::int64_t const n = static_cast<std::int64_t>(all.size()) / (rows * positions);
  std::vector<double> r;
  for (std::int64_t row = 0; row < rows; ++row)
    r.insert(r.end(), all.begin() + (row * positions + begin) * n, all.begin() + (row * positions + end) * n);
  return r;
}

graph_view of(char const* name) { return test::system_called(name).traced; }

void check_latent(graph_view traced) {
  auto const sequential = ready(traced).result("logits");
  {
    ready all(traced, solver_kind::interleaved, {rows, positions, positions + 1, positions});
    all.run();
    CHECK(apart(all.at_last_visit("logits"), sequential) < rounding);
  }
  {
    ready two(traced, solver_kind::interleaved, {rows, positions, 3, 2});
    two.run();
    CHECK(apart(two.at_last_visit("logits"), sequential) > rounding);
  }
  ready one(traced, solver_kind::interleaved, {rows, positions, 2, 1}), refined(traced, solver_kind::jacobi, {rows, positions, 2});
  CHECK(apart(one.result("loss"), refined.result("loss")) < rounding);
  ready passes(traced, solver_kind::jacobi, {rows, positions, positions});
  passes.run();
  CHECK(apart(passes.value("logits", positions - 1), sequential) < rounding);
}

/// How much later tokens move the logits of earlier positions: at most; and later ones.
struct moved { double before, after; };
moved by_the_future(graph_view traced, solver_kind solver, lengths const& n) {
  constexpr std::int64_t cut = 6;
  ready m(traced, solver, n);
  m.run();
  auto const before = m.at_last_visit("logits");
  auto inputs = test::sequence_for(traced, n);
  auto const other = test::sequence_for(traced, n, 2);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t t = cut; t < positions; ++t) {
      auto const i = static_cast<std::size_t>(row * positions + t);
      inputs["tokens"][i] = other.at("tokens")[i];
    }
  m.set(inputs);
  m.run();
  auto const after = m.at_last_visit("logits");
  return {apart(between(before, 0, cut), between(after, 0, cut)), apart(between(before, cut, positions), between(after, cut, positions))};
}

}  // namespace

TEST_CASE("invariants: interleaved passes of a latent recurrent transformer against the sequential evaluation") {
  for (char const* name : {"latent, shared", "latent, layerwise"}) {
    INFO(name);
    check_latent(of(name));
  }
}

TEST_CASE("invariants: pass k of a full-bandwidth transformer is exact at positions before k") {
  auto const sequential = ready(of("full bandwidth")).result("logits");
  ready passes(of("full bandwidth"), solver_kind::jacobi, {rows, positions, positions});
  passes.run();
  CHECK(apart(passes.value("logits", positions - 1), sequential) < rounding);
  for (std::int64_t k = 1; k < positions; ++k) {
    auto const logits = passes.value("logits", k - 1);
    CHECK(apart(between(logits, 0, k), between(sequential, 0, k)) < rounding);
    if (k > 1) CHECK(apart(between(logits, k, k + 1), between(sequential, k, k + 1)) > 1e-6);
  }
}

TEST_CASE("invariants: one program for every number of passes") {
  builder const program = test::evaluated(of("full bandwidth"), solver_kind::jacobi);
  auto const sequential = ready(of("full bandwidth")).result("logits");
  std::vector<double> three;
  for (std::int64_t passes : {3, 2, 1}) {
    lengths const n{rows, positions, passes};
    machine m(builder(program), n);
    test::move_parameters(m.parameters(), 3);
    m.set(test::sequence_for(program.view(), n));
    auto const logits = m.result("logits");
    if (three.empty()) three = logits;
    CHECK(logits == std::vector<double>(three.begin(), three.begin() + static_cast<std::ptrdiff_t>(logits.size())));
    CHECK(apart(m.value("logits", passes - 1), sequential) > rounding);
  }
}

TEST_CASE("invariants: a recurrent transformer with the loop over layers outside is the same, to the bit") {
  CHECK(ready(of("recurrent, modern")).result("logits") == ready(of("recurrent, layers outside")).result("logits"));
  test::tensors gradient[2];
  for (int k = 0; k < 2; ++k) {
    graph_view const g = of(k ? "recurrent, layers outside" : "recurrent, modern");
    machine m(test::trained(g), {rows, positions});
    test::move_parameters(m.parameters(), 3);
    m.set(test::sequence_for(g, {rows, positions}));
    gradient[k] = m.gradients(std::vector<double>(m.losses(), 1.0));
  }
  CHECK(gradient[0].size() > 30);
  CHECK(gradient[0] == gradient[1]);
}

TEST_CASE("invariants: a recurrent transformer one token at a time, layers inside, is the same up to rounding") {
  graph_view const g = of("recurrent, modern");
  builder token_outside = test::evaluated(g);
  order o;
  o.force = axis_number<models::seq>(token_outside.view());
  plan p = arrange(token_outside.view(), o);
  CHECK(p.stuck < 0);
  machine m(static_cast<builder&&>(token_outside), static_cast<plan&&>(p), {rows, positions});
  test::move_parameters(m.parameters(), 3);
  m.set(test::sequence_for(g, {rows, positions}));
  CHECK(apart(m.result("logits"), ready(g).result("logits")) < rounding);
}

TEST_CASE("invariants: the anchors of a looped depth memory differ") {
  auto const layer = ready(of("looped depth attention, layer")).result("logits");
  auto const once = ready(of("looped depth attention, layer once")).result("logits");
  auto const execution = ready(of("looped depth attention, execution")).result("logits");
  CHECK(apart(layer, once) > rounding);
  CHECK(apart(layer, execution) > rounding);
  CHECK(apart(once, execution) > rounding);
}

TEST_CASE("invariants: later tokens leave earlier logits alone, but in the published GRU memory") {
  for (test::training_of const& t : test::trainings()) {
    INFO(t.name());
    moved const m = by_the_future(t.of->traced, t.solver, t.bound(rows, positions));
    CHECK((m.before < 1e-13) == t.of->causal);
    CHECK(m.after > 1e-6);
    if (!t.of->causal) CHECK(m.before > 1e-6);
  }
}
