// The judge of plans, engines and derivatives: every op by its definition, one element at a time, on demand, in double. No plan, no loops
// over time, no shared code with the engines (scalar functions included). A recurrence is evaluated by asking for its operands, memoised.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "dyadic/expr/leaf.hpp"

namespace dyadic::testing {

/// One position of every axis; an op reads those of its operand's axes.
struct position {
  std::int64_t of[max_axes]{};
  position with(int axis, std::int64_t i) const { position p = *this; p.of[axis] = i; return p; }
};

class reference_evaluator {
 public:
  graph_view g;
  std::int64_t extent[max_axes]{};
  /// What a random node draws at a position.
  std::function<double(node const&, position const&)> random = [](node const& n, position const&) {
    return n.kind == op::normal ? 0.25 : 0.5;
  };
  int cycle = -1;   ///< a node that needs its own value, if one was met

  /// `leaves`: by leaf number, in the leaf's own layout (index_axis outermost, then `order`). Tables of trees may be left empty.
  reference_evaluator(graph_view graph, std::vector<std::int64_t> const& extents, std::vector<std::vector<double>> leaves)
      : g(graph), leaves_(std::move(leaves)), leaf_of_(static_cast<std::size_t>(g.size), -1),
        value_(static_cast<std::size_t>(g.size)), state_(static_cast<std::size_t>(g.size)) {
    for (int a = 0; a < g.naxes; ++a) extent[a] = extents[static_cast<std::size_t>(a)];
    leaves_.resize(static_cast<std::size_t>(g.nleaves));
    for (int l = 0; l < g.nleaves; ++l) {
      if (g.leaves[l].node >= 0) leaf_of_[static_cast<std::size_t>(g.leaves[l].node)] = l;
      if (leaves_[static_cast<std::size_t>(l)].empty()) fill_table(l);
    }
    for (int i = 0; i < g.size; ++i) {
      if (g[i].axes & pair_bit) continue;
      value_[static_cast<std::size_t>(i)].assign(static_cast<std::size_t>(points(g[i].axes)), 0.0);
      state_[static_cast<std::size_t>(i)].assign(static_cast<std::size_t>(points(g[i].axes)), unknown);
    }
  }

  std::int64_t points(axis_set s) const {
    std::int64_t n = 1;
    for (int a = 0; a < g.naxes; ++a) if (s & bit_of(a)) n *= extent[a];
    return n;
  }
  /// Node i at p. Only the positions of i's axes matter.
  double at(int i, position const& p) {
    std::size_t const n = static_cast<std::size_t>(i), k = static_cast<std::size_t>(index(g[i].axes, p));
    if (k >= value_[n].size()) return std::nan("");   // an empty axis or a pair node: nothing should ask
    if (state_[n][k] == known) return value_[n][k];
    if (state_[n][k] == pending) { cycle = i; return std::nan(""); }
    state_[n][k] = pending;
    double const v = compute(i, p);
    state_[n][k] = known;
    return value_[n][k] = v;
  }
  /// Where a leaf's data holds the position p.
  std::int64_t leaf_index(leaf const& x, position const& p) const {
    std::int64_t k = x.index_axis >= 0 ? p.of[x.index_axis] : 0;
    for (int d = 0; d < x.rank; ++d) k = k * extent[x.order[d]] + p.of[x.order[d]];
    return k;
  }
  /// All of node i, row-major over its axes in the order of their numbers.
  std::vector<double> all(int i) {
    std::vector<double> r;
    each(g[i].axes, position{}, [&](position const& p) { r.push_back(at(i, p)); });
    return r;
  }
  /// f at every position of the axes in s, the last axis fastest; the others as in p.
  template <class F> void each(axis_set s, position const& p, F const& f) const { each_from(0, s & ~pair_bit, p, f); }

 private:
  enum : std::uint8_t { unknown, pending, known };
  std::vector<std::vector<double>> leaves_;
  std::vector<int> leaf_of_;
  std::vector<std::vector<double>> value_;
  std::vector<std::vector<std::uint8_t>> state_;

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  template <class F> void each_from(int a, axis_set s, position const& p, F const& f) const {
    while (a < g.naxes && !(s & bit_of(a))) ++a;
    if (a >= g.naxes) { f(p); return; }
    for (std::int64_t i = 0; i < extent[a]; ++i) each_from(a + 1, s, p.with(a, i), f);
  }
  std::int64_t index(axis_set s, position const& p) const {
    std::int64_t k = 0;
    for (int a = 0; a < g.naxes; ++a) if (s & bit_of(a)) k = k * extent[a] + p.of[a];
    return k;
  }
  void fill_table(int l) {
    leaf const& x = g.leaves[l];
    if (x.role != leaf_role::child && x.role != leaf_role::root) return;
    tree_function const& tree = g.trees[x.of];
    int const axis = x.order[0];
    std::int64_t const count = x.role == leaf_role::root ? extent[axis] : extent[g.axes[axis].from];
    std::size_t const merges = static_cast<std::size_t>(tree.merges(count)), n = static_cast<std::size_t>(count);
    std::vector<std::int32_t> child(merges * static_cast<std::size_t>(tree.arity) + 1), root(n + 1), time(merges + 1), level(merges + 1);
    tree.fill(count, false, child.data(), root.data(), time.data(), level.data());
    std::vector<double>& table = leaves_[static_cast<std::size_t>(l)];
    if (x.role == leaf_role::root) table.assign(root.begin(), root.begin() + static_cast<std::ptrdiff_t>(n));
    else {
      auto const from = child.begin() + static_cast<std::ptrdiff_t>(merges * static_cast<std::size_t>(x.which));
      table.assign(from, from + static_cast<std::ptrdiff_t>(merges));
    }
  }
  double leaf_value(int i, position const& p) const {
    int const l = leaf_of_[static_cast<std::size_t>(i)];
    if (l < 0) return std::nan("");
    return leaves_[static_cast<std::size_t>(l)].at(static_cast<std::size_t>(leaf_index(g.leaves[l], p)));
  }

  // The pointwise functions, by their textbook definitions in the form that is exact for large arguments.
  static double logistic(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
  static double map_value(node const& n, double x, double y, double z) {
    double const pi = 3.14159265358979323846, c = std::sqrt(2 / pi);
    switch (n.kind) {
      case op::neg: return -x;
      case op::exp: return std::exp(x);
      case op::log: return std::log(x);
      case op::sqrt: return std::sqrt(x);
      case op::rsqrt: return 1 / std::sqrt(x);
      case op::reciprocal: return 1 / x;
      case op::reciprocal_or_zero: return x == 0 ? 0 : 1 / x;
      case op::tanh: return std::tanh(x);
      case op::sigmoid: return logistic(x);
      case op::silu: return x * logistic(x);
      case op::silu_slope: return logistic(x) + x * logistic(x) * logistic(-x);
      case op::gelu: return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
      case op::gelu_slope: return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * std::exp(-x * x / 2) / std::sqrt(2 * pi);
      case op::gelu_tanh: return x * logistic(2 * c * (x + 0.044715 * x * x * x));
      case op::gelu_tanh_slope: {
        if (std::abs(x) > 50) return x > 0 ? 1 : 0;
        double const v = 2 * c * (x + 0.044715 * x * x * x);
        return logistic(v) + x * logistic(v) * logistic(-v) * 2 * c * (1 + 3 * 0.044715 * x * x);
      }
      case op::relu: return x > 0 ? x : std::isnan(x) ? x : 0;
      case op::squared_relu: return x > 0 ? x * x : std::isnan(x) ? x : 0;
      case op::softplus: return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
      case op::sin: return std::sin(x);
      case op::cos: return std::cos(x);
      case op::erf: return std::erf(x);
      case op::abs: return std::fabs(x);
      case op::sign: return x > 0 ? 1 : x < 0 ? -1 : 0;
      case op::floor: return std::floor(x);
      case op::cast: return cast_value(n.type, x);
      case op::stop_gradient: case op::probe: case op::spread: return x;
      case op::add: return x + y;
      case op::sub: return x - y;
      case op::mul: return x * y;
      case op::div: return x / y;
      case op::minimum: return std::isnan(x) || std::isnan(y) ? std::nan("") : y < x ? y : x;
      case op::maximum: return std::isnan(x) || std::isnan(y) ? std::nan("") : x < y ? y : x;
      case op::power: return std::pow(x, y);
      case op::shifted_exp: return x == -std::numeric_limits<double>::infinity() ? 0 : std::exp(x - y);
      case op::modulo: return x - y * std::floor(x / y);
      case op::less: return x < y;
      case op::less_equal: return x <= y;
      case op::equal: return x == y;
      case op::select: return x != 0 ? y : z;
      case op::clamp: { double const low = x < y ? y : x; return z < low ? z : low; }
      default: return std::nan("");
    }
  }
  static double cast_value(dtype t, double x) {
    if (t == dtype::i32) return std::trunc(x);
    if (t == dtype::boolean) return x != 0;
    if (t == dtype::f32 || x == 0 || !std::isfinite(x)) return x;
    int const e = std::max(std::ilogb(x), -126);
    double const grain = std::ldexp(1.0, e - 7);   // exact scaling; the rounding is to nearest even
    double const r = std::nearbyint(x / grain) * grain;
    return std::fabs(r) >= std::ldexp(1.0, 128) ? std::copysign(infinity, x) : r;
  }

  double compute(int i, position const& p) {
    node const& n = g[i];
    auto x = [&](position const& q) { return at(n.arg[0], q); };
    int const a = n.axis;
    switch (n.kind) {
      case op::input: case op::param: return leaf_value(i, p);
      case op::constant: return n.value;
      case op::iota: return static_cast<double>(p.of[a]);
      case op::extent: return static_cast<double>(extent[a]);
      case op::uniform: case op::normal: case op::bernoulli: case op::dropout_mask: return random(n, p);
      case op::sum: {
        double s = 0;
        each(g[n.arg[0]].axes & ~n.axes, p, [&](position const& q) { s += x(q); });
        return s;
      }
      case op::reduce_max: case op::reduce_min: {
        double const sign = n.kind == op::reduce_max ? 1 : -1;
        double m = -infinity;
        each(g[n.arg[0]].axes & ~n.axes, p, [&](position const& q) { m = std::max(m, sign * x(q)); });
        return sign * m;
      }
      case op::argmax: {
        std::int64_t best = -1;
        for (std::int64_t k = 0; k < extent[a]; ++k) if (best < 0 || x(p.with(a, k)) > x(p.with(a, best))) best = k;
        return static_cast<double>(best);
      }
      case op::logsumexp: return log_sum_exp(i, p);
      case op::softmax: {
        double m = -infinity, s = 0;
        for (std::int64_t k = 0; k < extent[a]; ++k) m = std::max(m, x(p.with(a, k)));
        if (m == -infinity) return 0;
        for (std::int64_t k = 0; k < extent[a]; ++k) s += std::exp(x(p.with(a, k)) - m);
        return std::exp(x(p) - m) / s;
      }
      case op::contract: {
        double s = 0;
        each((g[n.arg[0]].axes | g[n.arg[1]].axes) & ~n.axes, p, [&](position const& q) { s += x(q) * at(n.arg[1], q); });
        return s;
      }
      case op::window: {
        std::int64_t const j = p.of[a] + static_cast<std::int64_t>(n.value) + (n.inner >= 0 ? n.slot * extent[n.inner] : 0);
        return j >= 0 && j < extent[n.aux] ? x(p.with(n.aux, j)) : 0;
      }
      case op::pick: {
        if (extent[a] == 0) return n.nargs > 1 ? at(n.arg[1], p) : 0;
        std::int64_t const j = from_end(n);
        return j >= 0 && j < extent[a] ? x(p.with(a, j)) : 0;
      }
      case op::place: return p.of[a] == from_end(n) ? x(p) : 0;
      case op::if_empty: return extent[a] == 0 ? x(p) : 0;
      case op::split: {
        std::int64_t const j = p.of[n.aux] * extent[n.inner] + p.of[n.inner];
        return j < extent[a] ? x(p.with(a, j)) : 0;
      }
      case op::merge: {
        std::int64_t const row = p.of[a] / extent[n.inner], within = p.of[a] % extent[n.inner];
        return row < extent[n.aux] ? x(p.with(n.aux, row).with(n.inner, within)) : 0;
      }
      case op::rotate_half: return rotated(n, p);
      case op::keep: return at(n.arg[1], p) != 0 ? x(p) : std::nan("");   // whoever reads the others gets caught
      case op::gather: {
        std::int64_t const j = static_cast<std::int64_t>(at(n.arg[1], p));
        return j >= 0 && j < extent[a] ? x(p.with(a, j)) : 0;
      }
      case op::scatter: {
        axis_set const own = n.axes & ~bit_of(a);
        double s = 0;
        each((g[n.arg[0]].axes | g[n.arg[1]].axes) & ~own, p, [&](position const& q) {
          if (static_cast<std::int64_t>(at(n.arg[1], q)) == p.of[a]) s += x(q);
        });
        return s;
      }
      case op::prev: case op::shift: {
        std::int64_t const j = p.of[a] - (n.far[0] > 0 ? 1 : -1) * static_cast<std::int64_t>(n.value);
        if (j >= 0 && j < extent[a]) return x(p.with(a, j));
        return n.nargs > 1 ? at(n.arg[1], p) : 0;
      }
      case op::take: {
        std::int64_t const j = static_cast<std::int64_t>(at(n.arg[2], p));
        return j >= 0 ? x(p.with(a, j)) : at(n.arg[1], p.with(n.aux, ~j));
      }
      case op::put: case op::put_leaf: {
        double s = 0;
        each(g[n.arg[1]].axes, p, [&](position const& q) {
          std::int64_t const j = static_cast<std::int64_t>(at(n.arg[1], q));
          if (n.kind == op::put ? j == p.of[a] : ~j == p.of[n.aux]) s += x(q);
        });
        return s;
      }
      case op::attend: case op::attend_lse: return attended(i, p);
      case op::attend_dq: case op::attend_dscore_query: return query_side(i, p);
      case op::attend_dk: case op::attend_dv: case op::attend_dscore_key: return key_side(i, p);
      default: break;
    }
    double v[3] = {0, 0, 0};
    if (n.kind == op::select) {   // the branch not taken may be one that must not be read
      bool const c = at(n.arg[0], p) != 0;
      return at(n.arg[c ? 1 : 2], p);
    }
    for (int k = 0; k < n.nargs && k < 3; ++k) v[k] = at(n.arg[k], p);
    return map_value(n, v[0], v[1], v[2]);
  }

  std::int64_t from_end(node const& n) const {
    std::int64_t const j = static_cast<std::int64_t>(n.value);
    return j < 0 ? extent[n.axis] + j : j;
  }
  double log_sum_exp(int i, position const& p) {
    node const& n = g[i];
    double m = -infinity, s = 0;
    for (std::int64_t k = 0; k < extent[n.axis]; ++k) m = std::max(m, at(n.arg[0], p.with(n.axis, k)));
    if (m == -infinity) return m;
    for (std::int64_t k = 0; k < extent[n.axis]; ++k) s += std::exp(at(n.arg[0], p.with(n.axis, k)) - m);
    return m + std::log(s);
  }
  double rotated(node const& n, position const& p) {
    std::int64_t const half = (n.value >= 0 ? static_cast<std::int64_t>(n.value) : extent[n.axis]) / 2, i = p.of[n.axis];
    if (i >= 2 * half) return 0;
    std::int64_t const j = n.slot == 0 ? (i < half ? i + half : i - half) : (i % 2 == 0 ? i + 1 : i - 1);
    bool const first = n.slot == 0 ? i < half : i % 2 == 0;
    double const v = at(n.arg[0], p.with(n.axis, j));
    return first ? -v : v;
  }

  // ---- folds
  double dot(int x, position const& px, int y, position const& py, int d) {
    double s = 0;
    for (std::int64_t k = 0; k < extent[d]; ++k) s += at(x, px.with(d, k)) * at(y, py.with(d, k));
    return s;
  }
  /// A pair node for the query at t and the key at s, whose raw score is `raw`.
  double pair(int i, position const& t, position const& s, double raw) {
    node const& n = g[i];
    if (!(n.axes & pair_bit)) return at(i, t);
    if (n.kind == op::score) return raw;
    if (n.kind == op::distance) return static_cast<double>(t.of[n.axis] - s.of[n.axis]);
    if (n.kind == op::at_key) return at(n.arg[0], s);
    if (n.kind == op::select) return pair(n.arg[pair(n.arg[0], t, s, raw) != 0 ? 1 : 2], t, s, raw);
    double v[3] = {0, 0, 0};
    for (int k = 0; k < n.nargs && k < 3; ++k) v[k] = pair(n.arg[k], t, s, raw);
    return map_value(n, v[0], v[1], v[2]);
  }
  double attended(int i, position const& p) {
    bool const only_lse = g[i].kind == op::attend_lse;
    node const& n = only_lse ? g[g[i].arg[0]] : g[i];
    int const a = n.axis, d = n.aux;
    std::vector<double> score;
    std::vector<position> where;
    for (std::int64_t s = 0; s < extent[a]; ++s) {
      position const key = p.with(a, s);
      if (n.far[3] > 0 ? s >= p.of[a] : s <= p.of[a]) continue;
      if (n.nargs > 6 && n.arg[6] >= 0 && at(n.arg[6], key) == 0) continue;
      score.push_back(pair(n.arg[5], p, key, dot(n.arg[0], p, n.arg[3], key, d)));
      where.push_back(key);
    }
    double const self = n.arg[1] >= 0 ? at(n.arg[1], p) : -infinity;
    double m = self, l = 0, r = 0;
    for (double s : score) m = std::max(m, s);
    if (m == -infinity) return only_lse ? -infinity : 0;
    for (double s : score) l += std::exp(s - m);
    if (n.arg[1] >= 0) l += std::exp(self - m);
    if (only_lse) return m + std::log(l);
    for (std::size_t k = 0; k < score.size(); ++k)
      if (score[k] != -infinity) r += std::exp(score[k] - m) * at(n.arg[4], where[k]);
    if (n.arg[1] >= 0 && self != -infinity) r += std::exp(self - m) * at(n.arg[2], p);
    return r / l;
  }
  struct fold_operands { int q, k, v, lse, da, delta, score, slope, d; };
  /// The softmax weight of the pair (t, s), and ds = d loss / d (what slope differentiates by).
  void weight(fold_operands const& f, position const& t, position const& s, double& p, double& ds) {
    double const raw = dot(f.q, t, f.k, s, f.d), score = pair(f.score, t, s, raw), lse = at(f.lse, t);
    p = ds = 0;
    if (score == -infinity || lse == -infinity) return;
    p = std::exp(score - lse);
    ds = p * (dot(f.da, t, f.v, s, f.d) - at(f.delta, t)) * pair(f.slope, t, s, raw);
  }
  double query_side(int i, position const& t) {
    node const& n = g[i];
    fold_operands const f{n.arg[0], n.arg[4], n.arg[5], n.arg[1], n.arg[2], n.arg[3], n.arg[6], n.arg[7], n.aux};
    double r = 0, p = 0, ds = 0;
    for (std::int64_t j = 0; j < extent[n.axis]; ++j) {
      if (n.far[4] > 0 ? j >= t.of[n.axis] : j <= t.of[n.axis]) continue;
      position const s = t.with(n.axis, j);
      weight(f, t, s, p, ds);
      if (p == 0) continue;
      r += n.kind == op::attend_dq ? ds * at(f.k, s) : ds;
    }
    return r;
  }
  double key_side(int i, position const& s) {
    node const& n = g[i];
    fold_operands const f{n.arg[2], n.arg[0], n.arg[1], n.arg[3], n.arg[4], n.arg[5], n.arg[6], n.arg[7], n.aux};
    axis_set const all = g[f.q].axes | g[f.lse].axes | g[f.da].axes | g[f.delta].axes | g[f.score].axes | g[f.slope].axes;
    axis_set const summed = all & ~n.axes & ~bit_of(n.aux) & ~bit_of(n.axis);   // what only the query side has
    double r = 0;
    for (std::int64_t j = 0; j < extent[n.axis]; ++j) {
      if (n.far[2] < 0 ? j <= s.of[n.axis] : j >= s.of[n.axis]) continue;
      each(summed, s.with(n.axis, j), [&](position const& t) {
        double p = 0, ds = 0;
        position const key = t.with(n.axis, s.of[n.axis]);
        weight(f, t, key, p, ds);
        if (p == 0) return;
        if (n.kind == op::attend_dk) r += ds * at(f.q, t);
        else if (n.kind == op::attend_dv) r += p * at(f.da, t);
        else r += ds;
      });
    }
    return r;
  }
};

}  // namespace dyadic::testing
