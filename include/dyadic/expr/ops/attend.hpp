// Softmax-weighted sum of the values V_s over the earlier positions s of an axis, and of a self pair: a fold whose state is (m, l, o).
// Operands: 0 query; 1, 2 score and value of the self pair, or -1; 3, 4 keys and values (far); 5 the score, a pair node.
// `axis` is folded over, `aux` is contracted in <q, k> and is the values' axis. No pair, or only scores of -inf: 0, with gradient 0.
#pragma once
#include <limits>

#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/op_info.hpp"

namespace dyadic {

template <> struct op_info<op::attend> : op_defaults {
  static constexpr op_class kind = op_class::fold;
  static constexpr int arity = 6;
  static constexpr double flops = 0;   // counted per pair by the cost pass

  /// d(score) / d(node), per pair, for the nodes of the score graph that end in `root`: reverse mode over pointwise operations.
  struct slopes {
    detail::scratch<std::int16_t> bar;
    detail::scratch<std::uint8_t> wanted;
    constexpr slopes(gradient& g, int root) : bar(root + 1, -1), wanted(root + 1, 0) {
      for (int k = 0; k <= root; ++k) wanted.p[k] = (g.shape(k) & pair_bit) != 0 || g.wants(k);
      gradient inner{g.b, bar.p, wanted.p, nullptr, nullptr, g.derive, true};
      bar.p[root] = static_cast<std::int16_t>(g.number(1));
      for (int k = root; k >= 0; --k)
        if (bar.p[k] >= 0 && (g.shape(k) & pair_bit)) g.derive(inner, k, bar.p[k]);
    }
    /// The slope with respect to the raw score <q, k>.
    constexpr int raw(gradient& g, int root) const {
      for (int k = root; k >= 0; --k) if (bar.p[k] >= 0 && g.at(k).kind == op::score) return bar.p[k];
      return g.number(0);
    }
  };

  static constexpr int fold(gradient& g, int i, op as, axis_set shape, int first_far, int nfar, int sign, std::int16_t const* args) {
    node const x = g.at(i);
    node f;
    f.kind = as; f.axis = x.axis; f.aux = x.aux; f.axes = shape; f.nargs = 8; f.line = x.line;
    for (int k = 0; k < 8; ++k) {
      f.arg[k] = args[k];
      f.far[k] = static_cast<std::int8_t>(k >= first_far && k < first_far + nfar ? sign : 0);
    }
    return g.b.push(f);
  }
  static constexpr int lse(gradient& g, int i) {
    node const x = g.at(i);
    node l;
    l.kind = op::attend_lse; l.axis = x.axis; l.aux = x.aux; l.axes = x.axes & ~bit_of(x.aux); l.nargs = 1;
    l.arg[0] = static_cast<std::int16_t>(i);
    return g.b.push(l);
  }
  static constexpr void open(gradient& g, int i) {
    node const x = g.at(i);
    int const key = x.arg[3], value = x.arg[4], root = x.arg[5];
    int const stat = lse(g, i);
    slopes const s(g, root);
    // Seen from the key, queries lie on the other side: the cotangent and delta are linked in `adjoint`.
    std::int16_t args[8] = {x.arg[3], x.arg[4], x.arg[0], static_cast<std::int16_t>(stat), -1, -1, x.arg[5], -1};
    int const sign = -x.far[3];
    args[7] = static_cast<std::int16_t>(s.raw(g, root));
    if (g.wants(key)) g.give(key, fold(g, i, op::attend_dk, g.shape(key), 2, 4, sign, args));
    if (g.wants(value)) g.give(value, fold(g, i, op::attend_dv, g.shape(value), 2, 4, sign, args));
    for (int k = 0; k <= root; ++k) {
      if (s.bar.p[k] < 0 || g.at(k).kind != op::at_key || !g.wants(g.arg(k, 0))) continue;
      args[7] = s.bar.p[k];
      g.give_arg(k, 0, fold(g, i, op::attend_dscore_key, (x.axes & ~bit_of(x.aux)) | g.shape(g.arg(k, 0)), 2, 4, sign, args));
    }
  }
  static constexpr void adjoint(gradient& g, int i, int d) {
    node const x = g.at(i);
    int const query = x.arg[0], self = x.arg[1], self_value = x.arg[2], root = x.arg[5], stat = lse(g, i);
    axis_set const row = x.axes & ~bit_of(x.aux);
    int const delta = g.dot(d, i, row);
    for (int k = g.opened[i]; k < g.closed[i]; ++k) {
      node& f = g.b[k];
      if (f.nargs != 8 || f.arg[4] >= 0) continue;
      f.arg[4] = static_cast<std::int16_t>(d);
      f.arg[5] = static_cast<std::int16_t>(delta);
    }
    if (self >= 0) {
      int const some = g.compare(op::less, g.number(-std::numeric_limits<double>::infinity()), stat);
      int const p = g.select(some, g.map(op::exp, g.sub(self, stat)), g.number(0));
      g.give(self_value, g.mul(p, d));
      g.give(self, g.mul(p, g.sub(g.dot(d, self_value, row), delta)));
    }
    slopes const s(g, root);
    std::int16_t args[8] = {x.arg[0], static_cast<std::int16_t>(stat), static_cast<std::int16_t>(d), static_cast<std::int16_t>(delta),
                            x.arg[3], x.arg[4], x.arg[5], static_cast<std::int16_t>(s.raw(g, root))};
    if (g.wants(query)) g.give(query, fold(g, i, op::attend_dq, g.shape(query) | row, 4, 2, x.far[3], args));
    for (int k = 0; k <= root; ++k) {   // learned values that the score reads at the query
      if (s.bar.p[k] < 0 || (g.shape(k) & pair_bit) || !g.wants(k)) continue;
      args[7] = s.bar.p[k];
      g.give(k, fold(g, i, op::attend_dscore_query, row, 4, 2, x.far[3], args));
    }
  }
};

}  // namespace dyadic
