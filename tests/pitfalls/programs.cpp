// Pitfalls of planners, allocation and differentiation; the numbers are those of README.md beside this file.
#include "support/engines.hpp"
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/passes/memory.hpp"
#include "dyadic/tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

using namespace dyadic;
using models::batch, models::seq;

namespace {
// Every allocation of this program is counted.
long allocations = 0;
void* counted_allocation(std::size_t n) {
  ++allocations;
  if (void* p = std::malloc(n ? n : 1)) return p;
  std::abort();
}
}  // namespace
void* operator new(std::size_t n) { return counted_allocation(n); }
void* operator new[](std::size_t n) { return counted_allocation(n); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace {
constexpr models::config small{.vocabulary = 11, .width = 8, .layers = 2, .heads = 2, .hidden = 12};
using recurrent = models::recurrent_transformer<small>;
using plain = models::transformer<small>;

template <class Model> struct trained {
  weights<Model, double> parameters;
  bound<training<Model>, double> run;
  explicit trained(cpu::options const& o) : parameters(init<Model, double>(seed{1})), run(bind(batch{2}, models::seq{9}), o) {
    run.bind_parameters(parameters.shared());
    std::vector<double> tokens(18), targets(18), ones(18, 1);
    for (std::size_t i = 0; i < 18; ++i) { tokens[i] = static_cast<double>(i * 5 % 11); targets[i] = static_cast<double>(i * 3 % 11); }
    run.set("tokens", std::span<double const>(tokens));
    run.set("targets", std::span<double const>(targets));
    run.set_leaf(run.seed_leaf("loss"), std::span<double const>(ones));
  }
  std::vector<double> gradients() {
    std::vector<double> all;
    for (int k = 0; k < run.graph.noutputs; ++k) {
      if (run.graph.outputs[k].role != output_role::gradient) continue;
      auto const g = run.engine().output(k);
      all.insert(all.end(), g.begin(), g.end());
    }
    return all;
  }
};

// Is a value that lives in the arena read after another one was put over it? Checked by poisoning and by repetition: a stale or
// overwritten value would differ from run to run, or be NaN.
template <class Model> void check_storage() {
  cpu::options poisoned;
  poisoned.poison = true;
  trained<Model> a{cpu::options{}}, b{poisoned};
  a.run.run();
  b.run.run();
  auto const first = a.gradients(), second = b.gradients();
  REQUIRE(first.size() == second.size());
  double norm = 0;
  for (std::size_t i = 0; i < first.size(); ++i) { CHECK(first[i] == second[i]); norm += first[i] * first[i]; }
  CHECK(norm > 1e-6);
  b.run.run();
  CHECK(b.gradients() == first);
}
}  // namespace

TEST_CASE("pitfall 5: the planner gives no live value's memory away") {
  check_storage<recurrent>();
  check_storage<plain>();
}

TEST_CASE("pitfall 14: no over-aligned types in the interface, aligned memory behind it") {
  struct user { char c; tensor<axes<models::feature>, float> x; view<axes<models::feature>, double> v; };
  static_assert(alignof(user) <= alignof(std::max_align_t));
  auto const u = std::make_unique<user>(user{'a', tensor<axes<models::feature>, float>(models::feature{3}), {}});
  CHECK(reinterpret_cast<std::uintptr_t>(u->x.data()) % 64 == 0);
}

TEST_CASE("pitfall 22: gradients that are checked are not all zero") {
  trained<recurrent> t{cpu::options{}};
  t.run.run();
  for (int k = 0; k < t.run.graph.noutputs; ++k) {
    if (t.run.graph.outputs[k].role != output_role::gradient) continue;
    double norm = 0;
    for (double g : t.run.engine().output(k)) norm += g * g;
    CHECK(norm > 0);
  }
}

TEST_CASE("pitfall 31: backward takes at most four times the nodes of forward") {
  static_assert(training<recurrent>::graph.size <= 5 * evaluation<recurrent>::graph.size);
  static_assert(training<plain>::graph.size <= 5 * evaluation<plain>::graph.size);
  // A value that is used twice at every one of 60 steps would be differentiated 2^60 times without sharing.
  struct doubling {
    constexpr auto operator()(source in) const {
      auto x = in.input<batch>("x");
      auto y = x;
      for (int i = 0; i < 60; ++i) y = y * y + y;
      return results(named("loss", y));
    }
  };
  static_assert(training<doubling, exact, true>::graph.size <= 5 * evaluation<doubling>::graph.size);
}

TEST_CASE("pitfall 34: run allocates nothing") {
  trained<recurrent> t{cpu::options{}};
  t.run.run();   // the first run may grow packing buffers
  long const before = allocations;
  t.run.run();
  CHECK(allocations == before);
}
