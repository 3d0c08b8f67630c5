// The index function of a prefix tree: the states of all prefixes by merges of perfect subtrees, largest first (PR-LSTM; the bracketing
// of a binary counter). With t = 2^a1 + 2^a2 + ..., a1 > a2 > ..., prefix t = merge(... merge(T_1, T_2) ..., T_p), T_i perfect.
#pragma once
#include <initializer_list>

#include "dyadic/expr/leaf.hpp"
#include "dyadic/expr/scratch.hpp"

namespace dyadic {

namespace detail {
constexpr int trailing_zeros(std::int64_t t) { int z = 0; while (!(t >> z & 1)) ++z; return z; }
/// Position t (one-based) closes one perfect subtree a trailing zero, and folds it into the prefix before it unless t is a power of two.
constexpr std::int64_t prefix_merges(std::int64_t leaves) {
  std::int64_t n = 0;
  for (std::int64_t t = 1; t <= leaves; ++t) n += trailing_zeros(t) + ((t & (t - 1)) ? 1 : 0);
  return n;
}
constexpr void prefix_fill(std::int64_t leaves, bool by_time, std::int32_t* child, std::int32_t* root, std::int32_t* time,
                           std::int32_t* level) {
  int const n = static_cast<int>(leaves), merges = static_cast<int>(prefix_merges(leaves));
  // In order of time; `perfect` holds the newest subtree of each height (a binary counter), `fold` the state of every prefix.
  scratch<std::int32_t> left(merges), right(merges), when(merges), height(merges), fold(n + 1), place(merges);
  std::int32_t perfect[48]{};
  int made = 0;
  auto depth = [&](std::int32_t i) { return i < 0 ? 0 : height.p[i]; };
  auto merge = [&](std::int32_t a, std::int32_t b, int t) {
    left.p[made] = a; right.p[made] = b; when.p[made] = t - 1;
    height.p[made] = 1 + (depth(a) > depth(b) ? depth(a) : depth(b));
    return static_cast<std::int32_t>(made++);
  };
  for (int t = 1; t <= n; ++t) {
    std::int32_t s = ~static_cast<std::int32_t>(t - 1);
    int const zeros = trailing_zeros(t);
    for (int l = 0; l < zeros; ++l) s = merge(perfect[l], s, t);
    perfect[zeros] = s;
    int const rest = t & (t - 1);
    fold.p[t] = rest ? merge(fold.p[rest], s, t) : s;
  }
  // Numbered by level (counting sort, stable) or by time.
  int tallest = 0;
  for (int i = 0; i < merges; ++i) if (height.p[i] > tallest) tallest = height.p[i];
  scratch<std::int32_t> next(tallest + 2);
  if (by_time) { for (int i = 0; i < merges; ++i) place.p[i] = i; }
  else {
    for (int i = 0; i < merges; ++i) ++next.p[height.p[i] + 1];
    for (int l = 1; l <= tallest + 1; ++l) next.p[l] += next.p[l - 1];
    for (int i = 0; i < merges; ++i) place.p[i] = next.p[height.p[i]]++;
  }
  auto named = [&](std::int32_t i) { return i < 0 ? i : place.p[i]; };
  for (int i = 0; i < merges; ++i) {
    int const at = place.p[i];
    child[at] = named(left.p[i]); child[merges + at] = named(right.p[i]); time[at] = when.p[i]; level[at] = height.p[i] - 1;
  }
  for (int t = 1; t <= n; ++t) root[t - 1] = named(fold.p[t]);
}
}  // namespace detail

inline constexpr tree_function prefix_tree{"prefix_tree", 2, &detail::prefix_merges, &detail::prefix_fill};

/// Proves an index function for a number of leaves: children are merged before their parents (in both numberings), no merge needs a leaf
/// that comes after its time, and no prefix is read from a merge made later. This is what makes a tree causal.
constexpr bool tree_tables_are_causal(tree_function const& f, std::int64_t leaves) {
  int const n = static_cast<int>(leaves), merges = static_cast<int>(f.merges(leaves));
  for (bool by_time : {false, true}) {
    detail::scratch<std::int32_t> child(f.arity * merges), root(n), time(merges), level(merges);
    f.fill(leaves, by_time, child.p, root.p, time.p, level.p);
    for (int i = 0; i < merges; ++i) {
      if (time.p[i] < 0 || time.p[i] >= n) return false;
      if (i && (by_time ? time.p[i] < time.p[i - 1] : level.p[i] < level.p[i - 1])) return false;
      for (int c = 0; c < f.arity; ++c) {
        std::int32_t const j = child.p[c * merges + i];
        if (j < 0 ? ~j > time.p[i] : (j >= i || time.p[j] > time.p[i])) return false;
        if (j >= 0 && !by_time && level.p[j] >= level.p[i]) return false;
      }
    }
    for (int t = 0; t < n; ++t) {
      std::int32_t const j = root.p[t];
      if (j < 0 ? ~j > t : (j >= merges || time.p[j] > t)) return false;
    }
  }
  return true;
}
constexpr bool tree_tables_are_causal_up_to(tree_function const& f, std::int64_t leaves) {
  for (std::int64_t n = 0; n <= leaves; ++n) if (!tree_tables_are_causal(f, n)) return false;
  return true;
}

}  // namespace dyadic
