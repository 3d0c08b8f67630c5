// Index tables of trees, the ranges of merges that a loop runs in, and the transposes that put reads.
#pragma once
#include "dyadic/cpu/engine.hpp"
#include "dyadic/graph/prefix_tree.hpp"

namespace dyadic::cpu {

/// One tree of the graph at its extents.
struct tree_tables {
  std::int64_t leaves = 0, merges = 0;
  bool by_time = false;                       ///< numbered by the leaf at whose arrival a merge can run, else by level
  std::vector<std::int32_t> child, root;
  std::vector<std::int64_t> start;            ///< the merges of group k (a level, or a leaf): [start[k], start[k + 1])
};

/// Errors: error_kind::argument where a table reads a child or a leaf that comes later: the proof at this length.
inline tree_tables make_tree(tree_function const& f, std::int64_t leaves, bool by_time) {
  if (!tree_tables_are_causal(f, leaves))
    raise(error_kind::argument, message() << "the index function " << f.name << " looks ahead over " << leaves << " leaves");
  tree_tables t;
  t.leaves = leaves;
  t.merges = f.merges(leaves);
  t.by_time = by_time;
  auto const n = static_cast<std::size_t>(t.merges);
  std::vector<std::int32_t> time(n + 1), level(n + 1);
  t.child.resize(n * static_cast<std::size_t>(f.arity) + 1);
  t.root.resize(static_cast<std::size_t>(leaves) + 1);
  f.fill(leaves, by_time, t.child.data(), t.root.data(), time.data(), level.data());
  std::vector<std::int32_t> const& group = by_time ? time : level;
  std::int64_t groups = by_time ? leaves : 0;
  for (std::size_t m = 0; m < n; ++m) groups = std::max<std::int64_t>(groups, group[m] + 1);
  t.start.assign(static_cast<std::size_t>(groups) + 1, 0);
  for (std::size_t m = 0; m < n; ++m) ++t.start[static_cast<std::size_t>(group[m]) + 1];
  for (std::size_t k = 1; k < t.start.size(); ++k) t.start[k] += t.start[k - 1];
  return t;
}

/// Where the entries of a table that name row r are: item[start[r], start[r + 1]), ascending. `leaf` rows are named by ~r.
template <class T>
void transpose_table(T const* table, std::int64_t entries, bool leaf, std::int64_t rows, std::vector<std::int32_t>& start,
                     std::vector<std::int32_t>& item) {
  start.assign(static_cast<std::size_t>(rows) + 1, 0);
  auto row = [&](std::int64_t p) {
    std::int64_t const j = static_cast<std::int64_t>(table[p]), r = leaf ? ~j : j;
    return r >= 0 && r < rows ? r : std::int64_t{-1};
  };
  for (std::int64_t p = 0; p < entries; ++p) if (row(p) >= 0) ++start[static_cast<std::size_t>(row(p)) + 1];
  for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
  item.resize(static_cast<std::size_t>(start.back()));
  std::vector<std::int32_t> next(start.begin(), start.end());
  for (std::int64_t p = 0; p < entries; ++p)
    if (row(p) >= 0) item[static_cast<std::size_t>(next[static_cast<std::size_t>(row(p))]++)] = static_cast<std::int32_t>(p);
}

}  // namespace dyadic::cpu
