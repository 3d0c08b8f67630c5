// Operands of products that stay the same while a loop runs around the product (weights in a loop over positions, whatever is computed
// before the loop): packed once for all its iterations. The plan says which: the loop holds no statement that computes the operand, and the
// operand lacks the loop's axis.
#pragma once
#include "dyadic/cpu/engine.hpp"
#include "dyadic/cpu/panels.hpp"
#include "dyadic/expr/op_table.hpp"

namespace dyadic::cpu {

/// The panels of one operand: an entry for every position of the axes that it has and that loops inside the one it is kept in walk.
template <class T> struct kept_panels {
  struct term { std::int8_t axis; std::int64_t stride; };
  int node = -1, loop = -1;      ///< whose panels; the statement that begins the loop, or kept_in::until_bound
  dim rows, cols;                ///< of one matrix; stride[0]: of the operand
  nest all;                      ///< matrices of an entry; streams: the operand, the panels
  std::int64_t matrix_size = 0, size = 0;   ///< elements of a matrix' panels, of an entry
  term t[max_axes];
  int terms = 0;
  std::vector<T> memory;
  std::vector<char> filled;      ///< by entry

  T* first() { return memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / sizeof(T); }
  bool same(kept_panels const& x) const {
    auto equal = [](dim const& a, dim const& b) { return a.n == b.n && a.stride[0] == b.stride[0]; };
    bool r = node == x.node && loop == x.loop && terms == x.terms && all.count == x.all.count;
    r = r && equal(rows, x.rows) && equal(cols, x.cols);
    for (int i = 0; r && i < terms; ++i) r = t[i].axis == x.t[i].axis && t[i].stride == x.t[i].stride;
    for (int i = 0; r && i < all.count; ++i) r = equal(all.d[i], x.all.d[i]);
    return r;
  }
};

namespace detail {

/// How long operand x of a statement stays the same. The statement stands in the loops open[0..count), outermost first, each with the axes
/// that advance with it.
template <class T>
kept_in kept_of(engine<T> const& e, plan_view plan, int const* open, axis_set const* advance, int count, int x) {
  node const& operand = e.g[x];
  bool const is_leaf = traits(operand.kind).kind == op_class::leaf && !traits(operand.kind).random;
  auto computed_in = [&](int from, int to) {
    for (int i = from; i < to; ++i) if (plan[i].kind == stmt::run && plan[i].id == x) return true;
    return false;
  };
  kept_in r;
  if (!e.keeps_panels || (!is_leaf && !computed_in(0, plan.size))) return r;
  if (is_leaf && e.fixed_parameters && operand.kind == op::param) r.loop = kept_in::until_bound;
  for (int q = 0; q < count; ++q) {
    if (r.loop != kept_in::no_loop) { r.inside |= operand.axes & advance[q]; continue; }
    bool const varies = (operand.axes & advance[q]) || (!is_leaf && computed_in(open[q], plan[open[q]].other));
    if (!varies && e.rows[plan[open[q]].id].n > 2) r.loop = open[q];
  }
  return r;
}

/// Packs what is not packed yet at the loops' positions; where it lies. from: the operand there.
template <class T> T* panels_at(engine<T>& e, kept_panels<T>& w, T* from) {
  std::int64_t entry = 0;
  for (int i = 0; i < w.terms; ++i) entry += e.at[w.t[i].axis].lo * w.t[i].stride;
  T* const to = w.first() + entry * w.size;
  char& filled = w.filled[static_cast<std::size_t>(entry)];
  if (filled) return to;
  filled = 1;
  T* const base[2] = {from, to};
  pieces const part(w.cols.n, e.on.parts(0.5 * static_cast<double>(w.rows.n * w.cols.n)), 64);
  walk<2>(w.all, base, [&](T* const* p, std::int64_t n, std::int64_t const* q) {
    for (std::int64_t i = 0; i < n; ++i) {
      matrix<T const> const m{p[0] + i * q[0], w.rows.n, w.cols.n, w.rows.stride[0], w.cols.stride[0]};
      T* const panels = p[1] + i * q[1];
      e.on.run(part.count, [&](std::int64_t c, int) { pack_panels(panels, m, part.begin(c), part.begin(c) + part.length(c)); });
    }
  });
  return to;
}

}  // namespace detail

/// Before the loop that begins at statement `loop`, or when a leaf is bound: what was packed is packed again.
template <class T> void forget_panels(engine<T>& e, int loop, int node = -1) {
  for (auto& w : e.panels)
    if (w.loop == loop && (node < 0 || w.node == node)) std::fill(w.filled.begin(), w.filled.end(), char{0});
}

}  // namespace dyadic::cpu
