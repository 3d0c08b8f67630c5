// Modules in a graph: parameter names, layers that are traced once, numberings that continue, weights that are shared.
#include "dyadic/graph/module.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dyadic/exec/names.hpp"
#include "dyadic/graph/trace.hpp"
#include "dyadic/nn.hpp"

using namespace dyadic;

namespace {

struct rows : axis<> {};
struct feature : axis<4> {};
struct depth : axis<> {};
struct more_depth : axis<> {};

struct block {
  nn::rms_norm<feature> norm;
  nn::linear<feature, feature> map;
  DYADIC_FIELDS((norm, "ln"), map)
  template <expression X> constexpr auto operator()(X x) const { return x + map(norm(x)); }
};

template <int Layers> struct deep {
  stack<depth, block> layers;
  nn::linear<feature, feature> last;
  DYADIC_FIELDS((layers, "model.layers"), last)
  static constexpr auto extents() { return bind(depth{Layers}); }
  constexpr auto operator()(source in) const { return results(named("y", last(layers(in.input<rows, feature>("x"))))); }
};

struct two_stacks {
  stack<depth, block> early;
  stack<more_depth, block> late{.offset = 3};
  DYADIC_FIELDS((early, "layers"), (late, "layers"))
  static constexpr auto extents() { return bind(depth{3}, more_depth{2}); }
  constexpr auto operator()(source in) const { return results(named("y", late(early(in.input<rows, feature>("x"))))); }
};

struct shared_map {
  nn::linear<feature, feature> map;
  DYADIC_FIELDS(map)
  constexpr auto operator()(source in) const {
    auto x = in.input<rows, feature>("x");
    return results(named("y", repeat<depth>(map(x), [&](auto h) { return map(h); })));
  }
};

template <class Model> std::vector<std::string> names() {
  graph_view const& g = traced<Model>::graph;
  extents const e = resolve(g, extents_of(g, detail::fixed_extents<Model>()));
  std::vector<std::string> out;
  for (int k = 0; k < g.nleaves; ++k)
    if (g.leaves[k].role == leaf_role::parameter)
      for (std::int64_t i = 0; i < leaf_parts(g.leaves[k], e); ++i) out.push_back(leaf_name(g, g.leaves[k], i));
  return out;
}

}  // namespace

TEST_CASE("names are paths of fields, with a layer's number; a field can be renamed") {
  CHECK(names<deep<2>>() == std::vector<std::string>{"model.layers.0.ln.weight", "model.layers.1.ln.weight", "model.layers.0.map.weight",
                                                     "model.layers.1.map.weight", "last.weight"});
}

TEST_CASE("a second stack continues the numbers of the first") {
  auto const all = names<two_stacks>();
  CHECK(all.size() == 10);
  CHECK(std::count(all.begin(), all.end(), "layers.2.ln.weight") == 1);
  CHECK(std::count(all.begin(), all.end(), "layers.3.ln.weight") == 1);
  CHECK(std::count(all.begin(), all.end(), "layers.4.map.weight") == 1);
}

TEST_CASE("an extent never enters a graph: 96 layers are as many nodes as 2") {
  static_assert(traced<deep<2>>::graph.size == traced<deep<96>>::graph.size);
  CHECK(names<deep<96>>().size() == 2 * 96 + 1);
}

TEST_CASE("a module used in and outside of a repeat has one weight") {
  CHECK(names<shared_map>() == std::vector<std::string>{"map.weight"});
}
