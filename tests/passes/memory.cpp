// The memory plan: no element is overwritten while it is needed (judged by tag_machine), and little more room than is alive at once.
#include "dyadic/passes/memory.hpp"

#include <doctest/doctest.h>

#include "dyadic/models/depth_attention.hpp"
#include "dyadic/models/full_bandwidth.hpp"
#include "dyadic/models/latent_recurrent.hpp"
#include "dyadic/models/lstm.hpp"
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/simple_attention.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/passes/cuts.hpp"
#include "dyadic/passes/program.hpp"
#include "passes/tag_machine.hpp"

using namespace dyadic;
using namespace dyadic::models;

namespace {

constexpr config tiny{.vocabulary = 5, .width = 4, .layers = 2, .heads = 2, .kv_heads = 1, .hidden = 3};
constexpr symbol_config letters{.inputs = 5, .hidden = 3, .classes = 2}, more_letters{.inputs = 32, .hidden = 64, .classes = 10};
constexpr config base{.vocabulary = 256, .width = 64, .layers = 6, .heads = 4, .hidden = 128};
constexpr config base_tied{.vocabulary = 256, .width = 64, .layers = 6, .heads = 4, .hidden = 128, .tied = true};

template <class P> extents sizes(std::int64_t b, std::int64_t t) {
  extents e = extents_of(P::graph, join(P::model::extents(), bind(batch{b}, seq{t})));
  for (int a = 0; a < P::graph.naxes; ++a) if (P::graph.axes[a].role == axis_role::pass) e.of[a] = 3;
  return resolve(P::graph, e);
}
template <class P> void overwrites_nothing() {
  for (std::int64_t t : {1, 2, 5}) {
    extents const e = sizes<P>(2, t);
    REQUIRE(unbound_axes(P::graph, e) == 0);
    memory_plan const m = plan_memory(P::graph, P::plan, e);
    testing::tag_machine judge(P::graph, P::plan, m, e);
    bool const ok = judge.run();
    INFO(judge.error);
    CHECK(ok);
    CHECK(judge.checked > 100);
  }
}
template <class P> void is_tight(std::string const& what) {
  extents const e = sizes<P>(4, 128);
  memory_plan const m = plan_memory(P::graph, P::plan, e);
  INFO(what, ": ", P::graph.size, " nodes, arena ", m.arena, ", alive ", m.live_peak);
  CHECK(m.arena >= m.live_peak);
  CHECK(static_cast<double>(m.arena) <= 1.1 * static_cast<double>(m.live_peak));
}

}  // namespace

TEST_CASE("no value is overwritten while it is needed") {
  SUBCASE("transformer") { overwrites_nothing<evaluation<transformer<tiny>>>(); }
  SUBCASE("transformer, training") { overwrites_nothing<training<transformer<tiny>>>(); }
  SUBCASE("recurrent transformer") { overwrites_nothing<evaluation<recurrent_transformer<tiny>>>(); }
  SUBCASE("recurrent transformer, training") { overwrites_nothing<training<recurrent_transformer<tiny>>>(); }
  SUBCASE("recurrent transformer, training, boundary") {
    overwrites_nothing<training<recurrent_transformer<tiny>, exact, false, keeping::boundary>>();
  }
  SUBCASE("depth attention, training") { overwrites_nothing<training<depth_attention<tiny>>>(); }
  SUBCASE("full bandwidth by passes, training") { overwrites_nothing<training<full_bandwidth<tiny>, jacobi<>>>(); }
  SUBCASE("latent recurrent, interleaved, training") { overwrites_nothing<training<latent_recurrent<tiny>, interleaved<>>>(); }
  SUBCASE("lstm, training") { overwrites_nothing<training<lstm<letters>>>(); }
}
TEST_CASE("the arena is hardly larger than what is alive at once") {
  is_tight<training<transformer<base>>>("transformer");
  is_tight<training<recurrent_transformer<base>>>("recurrent transformer");
  is_tight<training<simple_attention<base_tied>>>("simple attention");
  is_tight<training<depth_attention<base>>>("depth attention");
  is_tight<training<full_bandwidth<base>, jacobi<>>>("full bandwidth, three passes");
  is_tight<training<latent_recurrent<base>, interleaved<>>>("latent recurrent, three passes");
  is_tight<training<lstm<more_letters>>>("lstm");
}
