// What is known of a tile's scores before they are computed. Distances of a tile lie between bounds; where a score chooses by distance (a
// window) most tiles are chosen throughout, or hidden throughout: the choice is then no work, and the hidden tile none at all. The bounds
// are computed by the operations themselves in the engine's numbers: rounding is monotone, so no pair lies beyond them.
#pragma once
#include "dyadic/cpu/pair.hpp"

namespace dyadic::cpu {

/// The steps of a program that a tile takes, and where its results are.
template <class T> struct pair_choice {
  static constexpr int most = 64;
  bool all = true;               ///< every step
  bool never = false;            ///< every score is -inf
  pair_operand score, slope;
  pair_operand at[most];         ///< by buffer, where its contents are
  bool needed[most];
  pair_operand where(pair_operand const& p) const { return all || p.kind == pair_operand::uniform ? p : at[p.index]; }
};

namespace detail {

template <class T> struct bounds {
  T low, high;
  bool known() const { return low <= high; }   // false with NaN, too
  bool one() const { return low == high; }
};
template <class T> inline constexpr bounds<T> no_bounds{T(1), T(0)};

template <class T> bounds<T> bounds_of(op kind, bounds<T> const* x) {
  bounds<T> const &a = x[0], &b = x[1];
  if (!a.known()) return no_bounds<T>;
  if (kind == op::spread || kind == op::stop_gradient) return a;
  if (kind == op::neg) return {-a.high, -a.low};
  if (!b.known()) return no_bounds<T>;
  switch (kind) {
    case op::add: return {a.low + b.low, a.high + b.high};
    case op::sub: return {a.low - b.high, a.high - b.low};
    case op::mul: {
      T const p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      bounds<T> r{p[0], p[0]};
      for (T v : p) {
        if (v != v) return no_bounds<T>;
        r = {v < r.low ? v : r.low, v > r.high ? v : r.high};
      }
      return r;
    }
    case op::less: return {T(a.high < b.low), T(a.low < b.high)};
    case op::less_equal: return {T(a.high <= b.low), T(a.low <= b.high)};
    case op::equal: return {T(a.one() && b.one() && a.low == b.low), T(a.low <= b.high && b.low <= a.high)};
    default: return no_bounds<T>;
  }
}

}  // namespace detail

/// Chooses for a tile of n columns. Scores that no distance decides take every step.
template <class T> void choose(pair_choice<T>& c, pair_program<T> const& r, pair_tile<T> const& t, std::int64_t n) {
  using namespace detail;
  c.all = true;
  c.never = false;
  c.score = r.score;
  c.slope = r.slope;
  if (!r.chooses || r.buffers > pair_choice<T>::most) return;
  c.all = false;
  bounds<T> known[pair_choice<T>::most];
  c.at[0] = {pair_operand::tile, 0};
  known[0] = no_bounds<T>;
  auto of = [&](pair_operand const& p) {
    if (p.kind == pair_operand::tile) return known[p.index];
    T const v = *t.leaf[p.index];
    return bounds<T>{v, v};
  };
  for (auto const& s : r.steps) {
    c.at[s.buffer] = {pair_operand::tile, s.buffer};
    auto& k = known[s.buffer] = no_bounds<T>;
    if (s.kind == op::spread && !s.kernel) continue;
    if (s.kind == op::distance) {
      std::int64_t const down = (t.rows - 1) * t.by_row, across = (n - 1) * t.by_col;
      k.low = static_cast<T>(t.distance + (std::min<std::int64_t>)(down, 0) + (std::min<std::int64_t>)(across, 0));
      k.high = static_cast<T>(t.distance + (std::max<std::int64_t>)(down, 0) + (std::max<std::int64_t>)(across, 0));
      continue;
    }
    bounds<T> in[3] = {no_bounds<T>, no_bounds<T>, no_bounds<T>};
    for (int a = 0; a < s.operands; ++a) in[a] = of(s.in[a]);
    if (s.kind != op::select) { k = bounds_of(s.kind, in); continue; }
    bool const yes = in[0].known() && (in[0].low > 0 || in[0].high < 0), no = in[0].one() && in[0].low == 0;
    if (!yes && !no) continue;
    c.at[s.buffer] = c.where(s.in[yes ? 1 : 2]);
    k = in[yes ? 1 : 2];
  }
  c.score = c.where(r.score);
  c.slope = c.where(r.slope);
  auto const score = of(c.score);
  c.never = score.one() && score.low == -std::numeric_limits<T>::infinity();
  std::fill(c.needed, c.needed + r.buffers, false);
  for (auto const& p : {c.score, c.slope}) if (p.kind == pair_operand::tile) c.needed[p.index] = true;
  for (std::size_t i = r.steps.size(); i-- > 0;) {
    auto const& s = r.steps[i];
    if (!c.needed[s.buffer]) continue;
    for (int a = 0; a < s.operands; ++a) {
      pair_operand const p = c.where(s.in[a]);
      if (p.kind == pair_operand::tile) c.needed[p.index] = true;
    }
  }
}

/// Evaluates the chosen steps; buffer 0 holds <q, k>.
template <class T> void evaluate(pair_program<T> const& r, pair_choice<T> const& c, std::vector<pair_leaf> const& leaves,
                                 pair_tile<T> const& t) {
  std::int64_t const n = t.rows * t.stride;
  for (auto const& s : r.steps) {
    if (!c.all && !c.needed[s.buffer]) continue;
    T* const to = t.buffer + s.buffer * t.size;
    if (s.kind == op::distance) {
      T const by = static_cast<T>(t.by_col);
      for (std::int64_t i = 0; i < t.rows; ++i) {
        T const first = static_cast<T>(t.distance + i * t.by_row);
        for (int j = 0; j < static_cast<int>(t.stride); ++j) to[i * t.stride + j] = first + by * static_cast<T>(j);
      }
      continue;
    }
    if (!s.kernel) {
      std::size_t const l = static_cast<std::size_t>(s.in[0].index);
      T const* const from = t.leaf[l];
      bool const by_row = leaves[l].at_key == t.keys_are_rows;
      for (std::int64_t i = 0; i < t.rows; ++i) {
        if (by_row) std::fill(to + i * t.stride, to + (i + 1) * t.stride, from[i]);
        else std::copy(from, from + t.stride, to + i * t.stride);
      }
      continue;
    }
    T const* x[3] = {};
    unsigned scalar = 0;
    for (int a = 0; a < s.operands; ++a) {
      pair_operand const p = c.where(s.in[a]);
      if (p.kind == pair_operand::uniform) scalar |= 1u << a;
      x[a] = p.kind == pair_operand::uniform ? t.leaf[p.index] : t.buffer + p.index * t.size;
    }
    s.kernel(to, x[0], x[1], x[2], scalar, n);
  }
}

}  // namespace dyadic::cpu
