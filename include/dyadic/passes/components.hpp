// Strongly connected components of a set of nodes, over the dependences that no loop around them satisfies yet.
#pragma once
#include "dyadic/passes/dependences.hpp"

namespace dyadic::detail {

/// Tarjan's algorithm without recursion. Components are numbered producers first; among independent ones the lowest node comes first.
class component_finder {
 public:
  graph_view g;
  dependences const& d;
  scratch<std::int16_t> of;    ///< by node of the last set: its component
  scratch<std::int32_t> set;   ///< by node: which set it is in now

  constexpr component_finder(graph_view graph, dependences const& edges)
      : g(graph), d(edges), of(g.size), set(g.size), index_(g.size), low_(g.size), path_(g.size), stack_(g.size), at_(g.size) {}

  /// Makes list[0 .. n) a set of its own, takes it out of the set it was in, and returns its number.
  constexpr std::int32_t mark(std::int16_t const* list, int n) {
    ++sets_;
    for (int k = 0; k < n; ++k) set.p[list[k]] = sets_;
    return sets_;
  }

  /// The number of components of list[0 .. n), which must be marked and ascending. `done`: axes of the loops around.
  constexpr int find(std::int16_t const* list, int n, axis_set done) {
    std::int32_t const id = n ? set.p[list[0]] : 0;
    std::int16_t *const index = index_.p, *const low = low_.p, *const path = path_.p, *const stack = stack_.p;
    std::int32_t* const at = at_.p;
    dependence const* const edges = d.edges.p;
    for (int k = 0; k < n; ++k) index[list[k]] = 0;
    int count = 0, np = 0, ns = 0;
    std::int16_t next = 0;
    for (int k = 0; k < n; ++k) {
      if (index[list[k]]) continue;
      path[np++] = list[k];
      while (np) {
        int const v = path[np - 1], end = d.first.p[v + 1], axis = g.nodes[v].axis;
        if (!index[v]) { index[v] = low[v] = ++next; stack[ns++] = static_cast<std::int16_t>(v); of.p[v] = -1; at[v] = d.first.p[v]; }
        bool const satisfied = axis >= 0 && (done >> axis & 1);
        int down = -1;
        while (at[v] < end && down < 0) {
          dependence const& e = edges[at[v]++];
          int const w = e.on;
          if (set.p[w] != id || (satisfied && e.far)) continue;
          if (!index[w]) down = w;
          else if (of.p[w] < 0 && index[w] < low[v]) low[v] = index[w];
        }
        if (down >= 0) { path[np++] = static_cast<std::int16_t>(down); continue; }
        if (--np && low[v] < low[path[np - 1]]) low[path[np - 1]] = low[v];
        if (low[v] != index[v]) continue;
        do of.p[stack[--ns]] = static_cast<std::int16_t>(count); while (stack[ns] != v);
        ++count;
      }
    }
    return count;
  }

 private:
  scratch<std::int16_t> index_, low_, path_, stack_;
  scratch<std::int32_t> at_;
  std::int32_t sets_ = 0;
};

}  // namespace dyadic::detail
