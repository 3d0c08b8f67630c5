// Sums of products. Axes fall into m (only x), n (only y), k (summed) and batch (in both and the result); neighbours that lie one
// behind the other are joined, the longest of each group makes a matrix product, and the rest are loops around it. An operand that stays
// the same in a loop around the statement is packed once for the loop (kept_panels.hpp).
#pragma once
#include "dyadic/cpu/engine.hpp"
#include "dyadic/cpu/kept_panels.hpp"

namespace dyadic::cpu {

namespace detail {

template <class T> T dot(T const* x, T const* y, std::int64_t n) {
  using v = vector_of<T>;
  constexpr std::int64_t lanes = native_lanes<T>;
  T s = 0;
  if (n >= 4 * lanes) {
    v part[4];
    unroll<4>([&](auto i) DYADIC_INLINE { part[i] = v{}; });
    for (; n >= 4 * lanes; n -= 4 * lanes, x += 4 * lanes, y += 4 * lanes)
      unroll<4>([&](auto i) DYADIC_INLINE { part[i] += load<v>(x + i * lanes) * load<v>(y + i * lanes); });
    T sums[4];
    sums_of_four<T>(sums, part);
    s = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  for (std::int64_t i = 0; i < n; ++i) s += x[i] * y[i];
  return s;
}

/// r += x * y, element by element; r stands still where the products are summed.
template <class T> void add_products(T* const* p, std::int64_t n, std::int64_t const* q) {
  T *r = p[0], *x = p[1], *y = p[2];
  if (n == 1) { *r += *x * *y; return; }
  if (q[0] == 0 && q[1] == 1 && q[2] == 1) { *r += dot(x, y, n); return; }
  if (q[0] == 0) {
    T s = 0;
    for (std::int64_t i = 0; i < n; ++i) s += x[i * q[1]] * y[i * q[2]];
    *r += s;
    return;
  }
  if (q[0] == 1 && q[1] == 0 && q[2] == 1) {
    T const a = *x;
    for (std::int64_t i = 0; i < n; ++i) r[i] += a * y[i];
    return;
  }
  if (q[0] == 1 && q[1] == 1 && q[2] == 1) for (std::int64_t i = 0; i < n; ++i) r[i] += x[i] * y[i];
  else for (std::int64_t i = 0; i < n; ++i) r[i * q[0]] += x[i * q[1]] * y[i * q[2]];
}

// Streams: 0 result, 1 x, 2 y.
template <class T> void contract_plain_task(engine<T>& e, task<T> const& k) {
  nest room;
  T* const base[3] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  fill(e, k.clear, base[0], T(0));
  each_box<3>(e.on, resolved(k.all, e.at, room), base, 0.3, [](nest const& part, T* const* from, int) {
    walk<3>(part, from, [](T* const* p, std::int64_t n, std::int64_t const* q) { add_products(p, n, q); });
  });
}

/// What a product costs: its multiplications, and reading both sides.
inline double product_work(std::int64_t m, std::int64_t n, std::int64_t k) {
  double const x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k);
  return z * (x * y * 0.02 + (x + y) * 0.1);
}
/// Rows and columns of a product in parts. Every part packs its own columns: with 100 rows or more that costs no more than a few percent,
/// so parts become smaller than that only until there are a few. streamed: rows of the right side are read where they lie, once each, and
/// short pieces of them come slowly.
struct product_parts {
  pieces rows, cols;
  product_parts(std::int64_t m, std::int64_t n, std::int64_t wanted, bool streamed) {
    std::int64_t down = 1, across = 1;
    while (down * across < wanted) {
      bool const enough = down * across >= 16;
      std::int64_t const height = m / down, width = n / across;
      bool const taller = height >= 2 * (enough ? 192 : 8 * tile_rows), wider = width >= 2 * (enough ? 384 : streamed ? 256 : 128);
      if (!taller && !wider) break;
      (taller && (!wider || height >= width) ? down : across) *= 2;
    }
    rows = pieces(m, down, down > 1 ? tile_rows : 1);
    cols = pieces(n, across, across > 1 ? 64 : 1);
  }
  std::int64_t count() const { return rows.count * cols.count; }
};

/// Streams: 0 result, 1 the rows' side, 2 the columns' side; 3, where that is packed for a loop around the statement, its panels.
template <class T, bool Packed> void contract_task(engine<T>& e, task<T> const& k) {
  nest room;
  constexpr int streams = Packed ? 4 : 3;
  T* base[streams] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  if constexpr (Packed) base[3] = panels_at(e, e.panels[static_cast<std::size_t>(k.panels)], base[2]);
  dim g[3];
  for (int i = 0; i < 3; ++i) {
    nest one;
    nest const& s = resolved(k.part[i], e.at, one);
    if (s.count) g[i] = s.d[0];
  }
  dim const &m = g[0], &n = g[1], &c = g[2];
  nest const& outer = resolved(k.all, e.at, room);
  bool fresh = true;   // every product has a result of its own: nothing to add to
  for (int i = 0; i < outer.count; ++i) fresh = fresh && outer.d[i].stride[0] != 0;
  if (!fresh) fill(e, k.clear, base[0], T(0));
  auto multiply_at = [&](nest const& s, T* const* from, std::int64_t rows, std::int64_t cols, gemm_room<T>& pack) {
    walk<streams>(s, from, [&](T* const* p, std::int64_t some, std::int64_t const* q) {
      for (std::int64_t i = 0; i < some; ++i) {
        matrix<T> const to{p[0] + i * q[0], rows, cols, m.stride[0], n.stride[0]};
        matrix<T const> const left{p[1] + i * q[1], rows, c.n, m.stride[1], c.stride[1]};
        if constexpr (Packed) multiply_packed<T>(to, left, p[3] + i * q[3], pack, fresh);
        else multiply<T>(to, left, {p[2] + i * q[2], c.n, cols, c.stride[2], n.stride[2]}, pack, fresh);
      }
    });
  };
  std::int64_t const wanted = e.on.parts(static_cast<double>(elements(outer)) * product_work(m.n, n.n, c.n));
  if (wanted == 1) return multiply_at(outer, base, m.n, n.n, e.pack.front());
  boxes const b(outer, wanted);
  product_parts const part(m.n, n.n, (wanted + b.count - 1) / b.count, !Packed && m.n == 1 && n.stride[2] == 1);
  e.on.run(b.count * part.count(), [&](std::int64_t number, int worker) {
    nest s = outer;
    std::int64_t const i = number % part.count() / part.cols.count, j = number % part.cols.count;
    T* p[streams] = {base[0] + part.rows.begin(i) * m.stride[0] + part.cols.begin(j) * n.stride[0],
                     base[1] + part.rows.begin(i) * m.stride[1], base[2] + part.cols.begin(j) * n.stride[2]};
    if constexpr (Packed) p[3] = base[3] + panel_begin<T>(c.n, part.cols.begin(j));
    b.template narrow<streams>(number / part.count(), s, p);
    multiply_at(s, p, part.rows.length(i), part.cols.length(j), e.pack[static_cast<std::size_t>(worker)]);
  });
}

inline std::int64_t length(dim const& d) { return d.axis >= 0 ? d.n * 64 : d.n; }
/// The longest that a loop can become.
inline std::int64_t most(dim const& d, extents const& e) { return d.axis >= 0 ? d.n * e.of[d.axis] : d.n; }

/// Moves the dim that makes the best matrix side out of s.
inline dim take_side(nest& s, int r, int x) {
  int best = -1;
  std::int64_t score = 1;
  for (int i = 0; i < s.count; ++i) {
    dim const& d = s.d[i];
    bool const unit = (r >= 0 && d.stride[r] == 1) || (x >= 0 && d.stride[x] == 1);
    std::int64_t const v = length(d) * (unit ? 4 : 1);
    if (v > score) { score = v; best = i; }
  }
  if (best < 0) return dim{};
  dim const d = s.d[best];
  for (int i = best; i + 1 < s.count; ++i) s.d[i] = s.d[i + 1];
  --s.count;
  return d;
}

/// (x y)' = y' x'.
template <class T> void exchange_sides(task<T>& k) {
  std::swap(k.of[1], k.of[2]);
  std::swap(k.part[0], k.part[1]);
  for (nest* s : {&k.part[0], &k.part[1], &k.part[2], &k.all})
    for (int i = 0; i < s->count; ++i) std::swap(s->d[i].stride[1], s->d[i].stride[2]);
}

/// Whether the columns' side of a prepared product (k) can be packed for the loops it is kept in: then it is, in e.panels[k.panels]. The
/// first preparation decides, and makes the memory; a later one for ranges of rows that the operand has does without.
template <class T> bool keep_panels(engine<T>& e, task<T>& k, int operand, kept_in const& in) {
  if (in.loop == kept_in::no_loop) return false;
  dim const &n = k.part[1].d[0], &c = k.part[2].d[0];
  if (k.part[1].count == 0 || k.part[2].count == 0 || n.axis >= 0 || c.axis >= 0) return false;
  if (n.stride[0] != 1 || n.n < native_lanes<T> || c.n < native_lanes<T>) return false;
  kept_panels<T> w;
  w.node = operand;
  w.loop = in.loop;
  w.cols.n = n.n;
  w.cols.stride[0] = n.stride[2];
  w.rows.n = c.n;
  w.rows.stride[0] = c.stride[2];
  w.matrix_size = panels_size<T>(c.n, n.n);
  w.size = w.matrix_size;
  for (int i = k.all.count; i-- > 0;) {
    dim& d = k.all.d[i];
    d.stride[3] = 0;
    if (d.stride[2] == 0) continue;
    if (d.axis >= 0) return false;
    d.stride[3] = w.size;
    w.size *= d.n;
  }
  for (int i = 0; i < k.all.count; ++i) {
    dim const& d = k.all.d[i];
    if (d.stride[2] == 0) continue;
    dim& x = w.all.d[w.all.count++];
    x.n = d.n;
    x.stride[0] = d.stride[2];
    x.stride[1] = d.stride[3];
  }
  std::int64_t entries = 1;
  axis_set const axes = e.g[operand].axes;
  for (int a = 0; a < e.g.naxes; ++a) {
    if (!(axes >> a & 1)) continue;
    if (e.restricted[a] && in.loop == kept_in::until_bound) return false;
    if (k.modes[a] == mode::varying) return false;
    if (!(in.inside >> a & 1)) continue;
    w.t[w.terms++] = {static_cast<std::int8_t>(a), entries};
    entries *= e.ext.of[a];
  }
  for (std::size_t i = 0; i < e.panels.size(); ++i)
    if (e.panels[i].same(w)) { k.panels = static_cast<int>(i); return true; }
  if (e.panels_made) return false;
  w.memory.resize(static_cast<std::size_t>(entries * w.size) + 64 / sizeof(T));
  w.filled.assign(static_cast<std::size_t>(entries), 0);
  k.panels = static_cast<int>(e.panels.size());
  e.panels.push_back(std::move(w));
  return true;
}

}  // namespace detail

/// contract: x, y of any axes; the result has some of theirs.
template <class T> void prepare_contract(engine<T>& e, task<T>& k) {
  node const& r = e.g[k.node];
  int const a = r.arg[0], b = r.arg[1];
  axis_set const x = e.g[a].axes, y = e.g[b].axes, gone = (x | y) & ~r.axes;
  k.of[0] = e.address_of(k.node, r.axes, 0, k.modes);
  k.of[1] = e.address_of(a, r.axes, gone & x, k.modes);
  k.of[2] = e.address_of(b, r.axes, gone & y, k.modes);
  k.clear = e.loops(k, r.axes, 0, k.node);
  k.all = nest{};
  axis_set const groups[3] = {r.axes & x & ~y, r.axes & y & ~x, gone};
  nest side[3];
  for (int i = 0; i < 3; ++i) side[i] = e.loops(k, groups[i], groups[i] & gone, k.node, a, b);
  dim const m = detail::take_side(side[0], -1, 1), n = detail::take_side(side[1], 0, 2), c = detail::take_side(side[2], 1, 2);
  nest outer = e.loops(k, r.axes & x & y, 0, k.node, a, b);
  outer.joinable = false;
  for (auto& s : side)
    for (int i = 0; i < s.count; ++i) { outer.d[outer.count++] = s.d[i]; outer.varies = outer.varies || s.d[i].axis >= 0; }
  std::int64_t const work = detail::length(m) * detail::length(n) * detail::length(c);
  if (work >= 32 && (detail::length(m) > 1 || detail::length(n) > 1)) {
    k.all = outer;
    dim const sides[3] = {m, n, c};
    std::int64_t const rows = detail::most(m, e.ext), cols = detail::most(n, e.ext), depth = detail::most(c, e.ext);
    for (auto& p : e.pack) {
      p.reserve(rows, cols, depth);
      p.reserve(cols, rows, depth);
    }
    for (int i = 0; i < 3; ++i) { k.part[i] = nest{}; k.part[i].add(sides[i]); }
    k.run = &detail::contract_task<T, false>;
    if (detail::keep_panels(e, k, b, k.kept[1])) { k.run = &detail::contract_task<T, true>; return; }
    detail::exchange_sides(k);   // the product's transpose
    if (detail::keep_panels(e, k, a, k.kept[0])) { k.run = &detail::contract_task<T, true>; return; }
    detail::exchange_sides(k);
    return;
  }
  // Small: one nest; innermost the loop in which most operands run along memory or stand still, the longest of equals.
  dim all[max_dims + 3];
  int count = 0;
  for (int i = 0; i < outer.count; ++i) all[count++] = outer.d[i];
  for (dim const& d : {m, n, c}) if (d.n != 1 || d.axis >= 0) all[count++] = d;
  int best = count - 1, fewest = 8;
  std::int64_t longest = 0;
  for (int i = 0; i < count; ++i) {
    int strided = 0;
    for (int v = 0; v < 3; ++v) strided += all[i].stride[v] != 0 && all[i].stride[v] != 1;
    if (detail::length(all[i]) < 4) strided += 3;   // too short to matter
    if (strided > fewest || (strided == fewest && detail::length(all[i]) < longest)) continue;
    best = i;
    fewest = strided;
    longest = detail::length(all[i]);
  }
  nest s;
  for (int i = 0; i < count; ++i) if (i != best) { s.d[s.count++] = all[i]; s.varies = s.varies || all[i].axis >= 0; }
  if (count) { s.d[s.count++] = all[best]; s.varies = s.varies || all[best].axis >= 0; }
  k.all = s;
  k.run = &detail::contract_plain_task<T>;
}

}  // namespace dyadic::cpu
