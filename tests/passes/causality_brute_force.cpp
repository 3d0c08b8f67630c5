// Causality against brute force: the inputs after position t change, and results at positions up to t must not, where the proof said so.
// Ten near misses, each a mask, a shift or a chunk that sees one position too many, and their causal counterparts.
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <string>

#include "dyadic/passes/causality.hpp"
#include "dyadic/passes/simplify.hpp"
#include "support/random_model.hpp"
#include "support/reference_evaluator.hpp"

namespace {

using dyadic::axis_set;
using dyadic::bit_of;
using dyadic::op;
using dyadic::testing::position;
using dyadic::testing::reference_evaluator;

/// Does a result at some position move when the inputs at later ones do?
bool moves(dyadic::graph_view g, int seq, dyadic::extents const& e, unsigned seed) {
  std::vector<std::int64_t> const extents(e.of, e.of + dyadic::max_axes);
  std::mt19937 random(seed);
  std::vector<std::vector<double>> data, other;
  for (int l = 0; l < g.nleaves; ++l) {
    data.push_back(test::random_model::leaf_data(g, l, e, random));
    other.push_back(test::random_model::leaf_data(g, l, e, random));
  }
  reference_evaluator before(g, extents, data);
  for (std::int64_t t = 0; t + 1 < e.of[seq]; ++t) {
    std::vector<std::vector<double>> later = data;
    for (int l = 0; l < g.nleaves; ++l) {
      dyadic::leaf const& x = g.leaves[l];
      bool const table = x.role == dyadic::leaf_role::child || x.role == dyadic::leaf_role::root;
      if (table || x.role == dyadic::leaf_role::parameter || x.node < 0 || !(g[x.node].axes >> seq & 1)) continue;
      auto const n = static_cast<std::size_t>(l);
      before.each(g[x.node].axes, position{}, [&](position const& at) {
        auto const k = static_cast<std::size_t>(before.leaf_index(x, at));
        if (at.of[seq] > t) later[n][k] = other[n][k];
      });
    }
    reference_evaluator after(g, extents, later);
    bool moved = false;
    for (int k = 0; k < g.noutputs; ++k) {
      int const o = g.outputs[k].node;
      if (!(g[o].axes >> seq & 1)) continue;
      before.each(g[o].axes, position{}, [&](position const& at) {
        if (at.of[seq] > t) return;
        double const was = before.at(o, at), is = after.at(o, at);
        moved = moved || std::memcmp(&was, &is, sizeof was) != 0;
      });
    }
    if (moved) return true;
  }
  return false;
}
/// At several lengths, with several data.
bool ever_moves(dyadic::graph_view g, int seq, std::function<dyadic::extents(int)> const& sizes) {
  for (int length : {2, 5, 7})
    for (unsigned seed = 1; seed <= 2; ++seed) if (moves(g, seq, sizes(length), seed)) return true;
  return false;
}

struct by_hand : test::hand_made {
  int within = axis("within", dyadic::axis_role::scan);
  int chunk = axis("chunk", dyadic::axis_role::scan, dyadic::extent_rule::quotient, seq, within);
  int prime = axis("prime", dyadic::axis_role::plain, dyadic::extent_rule::same_as, seq);
  dyadic::extents sizes(int length) const {
    dyadic::extents e;
    for (int a = 0; a < b.axes.size; ++a) if (b.axes[a].rule == dyadic::extent_rule::bound) e.of[a] = a == seq ? length : 2;
    return dyadic::resolve(b.view(), e);
  }
  int counting(int a) {
    dyadic::node n;
    n.kind = op::iota; n.axis = static_cast<std::int8_t>(a); n.axes = bit_of(a);
    return b.push(n);
  }
  int compared(op kind, int x, int y) { return b.make(kind, b.shape(x) | b.shape(y), dyadic::dtype::boolean, 0, x, y); }
  int chosen(int s, int x, double other) {
    return b.make(op::select, b.shape(s) | b.shape(x), dyadic::dtype::f32, 0, s, x, b.constant(other));
  }
  /// Attention written as a matrix: query t sees the keys s with compare(s + ahead, t).
  int dense_attention(int x, op compare, int ahead, bool any = false) {
    int const keys = window(x, seq, prime), scores = contract(x, keys, feature);
    int const seen = compared(compare, add(counting(prime), b.constant(-ahead)), counting(seq));
    return contract(softmax(any ? scores : chosen(seen, scores, -1e30), prime), keys, prime);
  }
  /// A memory whose pairs are kept where the value `ahead` positions later is positive.
  int conditional(int x, int ahead) {
    int const later = ahead ? shift_by(x, -ahead) : x, when = compared(op::less, b.constant(0), sum(later, feature));
    int const key = at_key(when, seq);
    b[key].type = dyadic::dtype::boolean;
    int const masked = b.make(op::select, b.shape(key) | b.shape(x) | dyadic::pair_bit, dyadic::dtype::f32, 0, key, score(x),
                              b.constant(-std::numeric_limits<double>::infinity()));
    int const r = attend(seq, x, contract(x, x, feature), x, masked);
    append(r, x, x);
    return r;
  }
  int shift_by(int x, int n) {
    int const r = shift(x, seq, n > 0 ? 1 : -1);
    b[r].value = n > 0 ? n : -n;
    return r;
  }
  /// The softmax-weighted sum of a chunk, added to the positions of that chunk or of the next.
  int statistic(int x, bool own) {
    int const s = split(x, seq, chunk, within), total = sum(mul(s, softmax(s, within)), within);
    return merge(add(s, own ? total : shift(total, chunk)), chunk, within, seq);
  }
  int at_distance(int x, int ahead) {
    int const where = b.map(op::add, counting(seq), b.constant(ahead, dyadic::dtype::i32));
    return along(op::gather, x, seq, b.shape(x), 0, where);
  }
  int largest(int x, int direction) {
    int const h = prev(seq, b.shape(x), -1, direction);
    write(h, b.map(op::maximum, h, tanh(x)));
    return b[h].arg[0];
  }
  int started(int x, bool whole) {
    int const first = whole ? tanh(sum(x, seq)) : pick(x, seq, 0), h = prev(seq, b.shape(x), first);
    write(h, tanh(add(h, x)));
    return b[h].arg[0];
  }
};

struct near_miss {
  char const* what;
  std::function<int(by_hand&, int)> leaks, holds;   ///< what sees too much, and the same within bounds
  bool proved;                                      ///< whether the bounds are proved (masks made of arithmetic never are)
};
std::vector<near_miss> const near_misses = {
    {"a shift the wrong way", [](by_hand& m, int x) { return m.shift_by(x, -1); },
     [](by_hand& m, int x) { return m.shift_by(x, 1); }, true},
    {"a window one position on", [](by_hand& m, int x) { return m.window(x, m.seq, m.seq, 1); },
     [](by_hand& m, int x) { return m.window(x, m.seq, m.seq, -1); }, true},
    {"a softmax whose mask is off by one", [](by_hand& m, int x) { return m.dense_attention(x, op::less_equal, 1); },
     [](by_hand& m, int x) { return m.dense_attention(x, op::less_equal, 0); }, false},
    {"a softmax without its mask", [](by_hand& m, int x) { return m.dense_attention(x, op::less, 0, true); },
     [](by_hand& m, int x) { return m.dense_attention(x, op::less, 1); }, false},
    {"the mean of the sequence", [](by_hand& m, int x) { return m.add(x, m.sum(x, m.seq)); },
     [](by_hand& m, int x) { return m.add(x, m.sum(x, m.feature)); }, true},
    {"a running maximum from the end", [](by_hand& m, int x) { return m.largest(x, -1); },
     [](by_hand& m, int x) { return m.largest(x, 1); }, true},
    {"a chunk's statistic inside the chunk", [](by_hand& m, int x) { return m.statistic(x, true); },
     [](by_hand& m, int x) { return m.statistic(x, false); }, true},
    {"a gather one position on", [](by_hand& m, int x) { return m.at_distance(x, 1); },
     [](by_hand& m, int x) { return m.at_distance(x, -1); }, false},
    {"a memory kept by what comes later", [](by_hand& m, int x) { return m.conditional(x, 2); },
     [](by_hand& m, int x) { return m.conditional(x, 0); }, true},
    {"a state that starts with the whole sequence", [](by_hand& m, int x) { return m.started(x, true); },
     [](by_hand& m, int x) { return m.started(x, false); }, false},
};

// A prefix tree whose last prefix is read one position early, and one whose merges read a leaf of the future.
void early_root(std::int64_t n, bool by_time, std::int32_t* child, std::int32_t* root, std::int32_t* time, std::int32_t* level) {
  dyadic::detail::prefix_fill(n, by_time, child, root, time, level);
  for (std::int64_t t = 0; t + 1 < n; ++t) root[t] = root[t + 1];
}
void later_leaf(std::int64_t n, bool by_time, std::int32_t* child, std::int32_t* root, std::int32_t* time, std::int32_t* level) {
  dyadic::detail::prefix_fill(n, by_time, child, root, time, level);
  std::int64_t const merges = dyadic::detail::prefix_merges(n);
  for (std::int64_t i = 0; i < 2 * merges; ++i) if (child[i] < 0 && ~child[i] + 1 < n) --child[i];
}

}  // namespace

TEST_CASE("causality by brute force: random models") {
  int proved = 0, leaky = 0, cautious = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    test::choices c(seed);
    test::random_model m(c, 4, true);
    dyadic::builder const g = dyadic::simplify(m.b.view());
    bool const ok = dyadic::causal_along(g.view(), m.seq).ok;
    bool const leaks = ever_moves(g.view(), m.seq, [&](int length) { return m.sizes(length, seed, false); });
    CHECK_FALSE((ok && leaks));
    proved += ok;
    leaky += leaks && !ok;
    cautious += !leaks && !ok;
  }
  CHECK(proved >= 150);
  CHECK(leaky >= 100);
  CHECK(cautious * 2 < leaky + cautious);
  MESSAGE(proved << " proved, " << leaky << " leak and are refused, " << cautious << " refused though nothing moved");
}

TEST_CASE("causality by brute force: ten near misses") {
  for (near_miss const& n : near_misses) {
    CAPTURE(std::string(n.what));
    for (bool leaks : {true, false}) {
      by_hand m;
      int const x = m.input(m.row());
      m.result((leaks ? n.leaks : n.holds)(m, x), "y");
      bool const moved = ever_moves(m.b.view(), m.seq, [&](int length) { return m.sizes(length); });
      CHECK(moved == leaks);
      bool const ok = dyadic::causal_along(m.b.view(), m.seq).ok;
      CHECK(ok == (!leaks && n.proved));
    }
  }
}

TEST_CASE("causality by brute force: tables of trees that look ahead by one") {
  dyadic::tree_function early = dyadic::prefix_tree, later = dyadic::prefix_tree;
  early.fill = early_root;
  later.fill = later_leaf;
  CHECK(dyadic::tree_tables_are_causal_up_to(dyadic::prefix_tree, 20));
  for (int n = 2; n <= 20; ++n) {
    CAPTURE(n);
    CHECK_FALSE(dyadic::tree_tables_are_causal(early, n));
    if (n > 2) CHECK_FALSE(dyadic::tree_tables_are_causal(later, n));
  }
}
