// A small graph made by hand or with the user's functions: inputs with a range of random values, one output `y`.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "dyadic/expr/functions.hpp"
#include "dyadic/expr/op_table.hpp"
#include "support/reference_evaluator.hpp"

namespace dyadic::testing {

// The axes of op tests. Extents follow from one size n: see extents_for.
struct row : axis<> {};      // n
struct col : axis<> {};      // 3
struct dep : axis<> {};      // 2
struct outer_row : axis<> {};   // ceil(n / 2)
struct inner_row : axis<> {};   // 2
struct both : axis<> {};     // n + 3
struct wide : axis<4> {};
struct first_depth : axis<> {};    // 3
struct second_depth : axis<> {};   // 2

struct op_graph {
  struct range { double lo, hi; bool whole; };
  static constexpr int most_leaves = 16;
  builder b;
  range ranges[most_leaves]{};   // by leaf; those of a tree's tables have none
  int known_ranges = 0;

  /// A differentiable input over A..., filled with numbers from [lo, hi).
  template <class... A> constexpr expr<axes<A...>> real(double lo = -2, double hi = 2) { return leaf_of<f32, A...>(lo, hi, false); }
  /// Integers from lo to hi, both included.
  template <class... A> constexpr expr<axes<A...>, i32> index(int lo, int hi) { return leaf_of<i32, A...>(lo, hi, true); }
  template <class L, class T, class H> constexpr int result(expr<L, T, H> x) {
    output o;
    o.node = static_cast<std::int16_t>(x.id); o.name = "y";
    lay_out(o, L{});
    b.outputs.push(o);
    return x.id;
  }
  std::vector<std::int64_t> extents_for(std::int64_t n) const {
    std::vector<std::int64_t> e(static_cast<std::size_t>(b.axes.size), -1);
    auto const set = [&](std::uint64_t key, std::int64_t extent) {
      for (int a = 0; a < b.axes.size; ++a) if (b.axes[a].key == key) e[static_cast<std::size_t>(a)] = extent;
    };
    set(axis_key<row>, n); set(axis_key<col>, 3); set(axis_key<dep>, 2); set(axis_key<both>, n + 3); set(axis_key<wide>, 4);
    set(axis_key<outer_row>, (n + 1) / 2); set(axis_key<inner_row>, 2);
    set(axis_key<first_depth>, 3); set(axis_key<second_depth>, 2);
    for (int a = 0; a < b.axes.size; ++a) {
      axis_info const& x = b.axes[a];
      if (x.rule == extent_rule::tree) e[static_cast<std::size_t>(a)] = b.trees[x.tree].merges(e[static_cast<std::size_t>(x.from)]);
      if (x.rule == extent_rule::same_as) e[static_cast<std::size_t>(a)] = e[static_cast<std::size_t>(x.from)];
    }
    return e;
  }
  /// Random data for every leaf of this graph; tables of trees stay empty.
  std::vector<std::vector<double>> data_for(std::vector<std::int64_t> const& extents, unsigned seed) const {
    std::mt19937 random(seed);
    std::vector<std::vector<double>> data(static_cast<std::size_t>(b.leaves.size));
    for (int l = 0; l < b.leaves.size && l < known_ranges; ++l) {
      leaf const& x = b.leaves[l];
      if (x.role == leaf_role::child || x.role == leaf_role::root) continue;
      std::int64_t n = 1;
      for (int d = 0; d < x.rank; ++d) n *= extents[static_cast<std::size_t>(x.order[d])];
      range const r = ranges[l];
      std::uniform_real_distribution<double> real(r.lo, r.hi);
      std::uniform_int_distribution<int> whole(static_cast<int>(r.lo), static_cast<int>(r.hi));
      for (std::int64_t i = 0; i < n; ++i) data[static_cast<std::size_t>(l)].push_back(r.whole ? whole(random) : real(random));
    }
    return data;
  }

 private:
  template <class... A> constexpr void lay_out(output& o, axes<A...>) { ((o.order[o.rank++] = static_cast<std::int8_t>(axis_id<A>(b))), ...); }
  template <class T, class... A> constexpr expr<axes<A...>, T> leaf_of(double lo, double hi, bool whole) {
    leaf l;
    l.node = static_cast<std::int16_t>(b.make(op::input, axis_bits(b, axes<A...>{}), T::id));
    l.role = whole ? leaf_role::index : leaf_role::input; l.name = "x";
    ((l.order[l.rank++] = static_cast<std::int8_t>(axis_id<A>(b))), ...);
    ranges[b.leaves.size] = {lo, hi, whole};
    b.leaves.push(l);
    known_ranges = b.leaves.size;
    return {&b, l.node};
  }
};

}  // namespace dyadic::testing
