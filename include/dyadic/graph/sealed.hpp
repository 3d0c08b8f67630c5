// Graphs as constants: exactly as large as they are, flat, owned by a type.
#pragma once
#include "dyadic/expr/builder.hpp"

namespace dyadic {

struct graph_sizes { int nodes, axes, leaves, outputs, paths, trees; };
constexpr graph_sizes sizes_of(graph_view const& g) { return {g.size, g.naxes, g.nleaves, g.noutputs, g.npaths, g.ntrees}; }

template <graph_sizes S> struct sealed_graph {
  node nodes[S.nodes + 1]{};
  axis_info axes[S.axes + 1]{};
  leaf leaves[S.leaves + 1]{};
  output outputs[S.outputs + 1]{};
  path_part paths[S.paths + 1]{};
  tree_function trees[S.trees + 1]{};
  constexpr graph_view view() const {
    return {nodes, axes, leaves, outputs, paths, trees, S.nodes, S.axes, S.leaves, S.outputs, S.paths, S.trees};
  }
};
template <graph_sizes S> constexpr sealed_graph<S> seal(graph_view const& g) {
  sealed_graph<S> r;
  for (int i = 0; i < g.size; ++i) r.nodes[i] = g.nodes[i];
  for (int i = 0; i < g.naxes; ++i) r.axes[i] = g.axes[i];
  for (int i = 0; i < g.nleaves; ++i) r.leaves[i] = g.leaves[i];
  for (int i = 0; i < g.noutputs; ++i) r.outputs[i] = g.outputs[i];
  for (int i = 0; i < g.npaths; ++i) r.paths[i] = g.paths[i];
  for (int i = 0; i < g.ntrees; ++i) r.trees[i] = g.trees[i];
  return r;
}

/// The graph that Make::make() builds, as a constant. It is built twice: once to be measured.
template <class Make> struct sealed {
  static constexpr graph_sizes sizes = sizes_of(Make::make().view());
  static constexpr sealed_graph<sizes> graph = seal<sizes>(Make::make().view());
  static constexpr graph_view view = graph.view();
};

}  // namespace dyadic
