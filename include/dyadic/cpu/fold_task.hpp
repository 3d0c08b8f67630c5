// Folds as statements: prepared when a plan is bound, run whole, row by row, or finished after the tiles of a loop.
#pragma once
#include <cmath>
#include "dyadic/cpu/fold.hpp"

namespace dyadic::cpu {

namespace detail {

/// Rows of the near side to nothing: sums to 0, (m, l, o) to (-inf, 0, 0).
template <class T> void clear_rows(fold_cursor<T>& t, range const& near) {
  using fold = fold_data<T>;
  fold const& f = t.f;
  bool const wide = f.x[fold::result].depth != 0;
  for (std::int64_t i = 0; i < near.n; ++i) {
    std::int64_t const row = near.lo + i * near.step;
    fill(t.p[fold::result] + t.e.offset(f.x[fold::result].row, row), wide ? f.depth : 1, f.x[fold::result].depth, T(0));
    if (f.kind != op::attend) continue;
    t.p[fold::maximum][t.e.offset(f.x[fold::maximum].row, row)] = -infinity<T>;
    t.p[fold::total][t.e.offset(f.x[fold::total].row, row)] = 0;
  }
}

/// Adds the self pair to queries, and divides.
template <class T> void finish_rows(fold_cursor<T>& t, range const& queries) {
  using fold = fold_data<T>;
  fold const& f = t.f;
  bool const self = f.x[fold::self_score].present;
  for (std::int64_t i = 0; i < queries.n; ++i) {
    std::int64_t const row = queries.lo + i * queries.step;
    auto at = [&](int s) { return t.p[s] + t.e.offset(f.x[s].row, row); };
    T &m = *at(fold::maximum), &l = *at(fold::total);
    T* const o = at(fold::result);
    std::int64_t const so = f.x[fold::result].depth;
    T scale = 1, weight = 0;
    if (self) {
      T const s = *at(fold::self_score), top = s != s ? s : (std::max)(m, s);
      if (top != -infinity<T>) {
        scale = m == -infinity<T> ? T(0) : std::exp(m - top);
        weight = s == -infinity<T> ? T(0) : std::exp(s - top);
        l = l * scale + weight;
        m = top;
      }
    }
    if (l == 0) continue;
    scale /= l;
    weight /= l;
    if (weight == 0) {
      if (so == 1) for (std::int64_t c = 0; c < f.depth; ++c) o[c] *= scale;
      else for (std::int64_t c = 0; c < f.depth; ++c) o[c * so] *= scale;
      continue;
    }
    T const* const v = at(fold::self_value);
    std::int64_t const sv = f.x[fold::self_value].depth;
    if (so == 1 && sv == 1) for (std::int64_t c = 0; c < f.depth; ++c) o[c] = o[c] * scale + weight * v[c];
    else for (std::int64_t c = 0; c < f.depth; ++c) o[c * so] = o[c * so] * scale + weight * v[c * sv];
  }
}

template <class T> range active_part(engine<T> const& e, range r) {   // the rows of r that are new in the current pass
  if (e.active_stride <= 0) return r;
  std::int64_t const p = e.pass_axis >= 0 ? e.at[e.pass_axis].lo : 0;
  if (p == 0 || r.step != 1) return r;
  std::int64_t const S = e.active_stride, want = p - 1, first = r.lo + ((want - r.lo) % S + S) % S, end = r.lo + r.n;
  return {first, first < end ? (end - first + S - 1) / S : 0, S};
}

/// Folds the far rows [lo, hi) into some near rows.
template <class T> void fold_into(fold_cursor<T>& t, range const& near, std::int64_t lo, std::int64_t hi) {
  range far{lo, hi - lo, 1};
  if (!t.f.near_is_query && t.f.active_queries && t.e.row_axis == t.f.axis) far = active_part(t.e, far);
  fold_into(t, near, far);
}
/// Nanoseconds that a near row takes with as many far rows: two products a pair or, backward, three, and an exponential.
template <class T> double row_work(fold_data<T> const& f, std::int64_t far) {
  double const depth = static_cast<double>(f.depth);
  return static_cast<double>(far) * (f.kind == op::attend ? 0.06 * depth + 2 : 0.09 * depth + 3);
}

template <class T> void clear_fold(engine<T>& e, fold_data<T>& f, range const& near) {
  each_near(e, f, near, 0.2 * static_cast<double>(f.depth), [](fold_cursor<T>& t, range const& rows, auto const&) { clear_rows(t, rows); });
}
template <class T> void finish_fold(engine<T>& e, fold_data<T>& f, range const& queries) {
  if (f.kind != op::attend) return;
  each_near(e, f, queries, 5 + 0.3 * static_cast<double>(f.depth),
            [](fold_cursor<T>& t, range const& rows, auto const&) { finish_rows(t, rows); });
}
template <class T> void fold_rows(engine<T>& e, fold_data<T>& f, range const& near, std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return;
  each_near(e, f, near, row_work(f, hi - lo), [lo, hi](fold_cursor<T>& t, range const& rows, auto const& each_sum) {
    each_sum([&] { fold_into(t, rows, lo, hi); });
  });
}

template <class T> void fold_task_run(engine<T>& e, task<T> const& k) {
  fold_data<T>& f = e.folds[static_cast<std::size_t>(k.fold)];
  range const near = e.at[f.axis];
  if (f.tiled) return finish_fold(e, f, near);
  if (near.n <= 0) return;
  std::int64_t const last = near.lo + (near.n - 1) * near.step;
  bool const far_earlier = f.near_is_query == f.keys_earlier;
  std::int64_t const lo = far_earlier ? 0 : near.lo + 1, hi = far_earlier ? last : e.ext.of[f.axis];
  std::int64_t const all = (std::max<std::int64_t>)(hi - lo, 0), far = all - (std::min)(all, near.n) / 2;   // of a square, a triangle
  each_near(e, f, near, row_work(f, far), [&](fold_cursor<T>& t, range const& rows, auto const& each_sum) {
    clear_rows(t, rows);
    if (hi > lo) each_sum([&] { fold_into(t, rows, lo, hi); });
    if (f.kind == op::attend) finish_rows(t, rows);
  });
}

template <class T> void lse_task(engine<T>& e, task<T> const& k) {
  nest room;
  T* const base[3] = {e.pointer(k.of[0]), e.pointer(k.of[1]), e.pointer(k.of[2])};
  each_box<3>(e.on, resolved(k.all, e.at, room), base, 8, [](nest const& part, T* const* from, int) {
    walk<3>(part, from, [](T* const* p, std::int64_t n, std::int64_t const* q) {
      for (std::int64_t i = 0; i < n; ++i) {
        T const l = p[2][i * q[2]];
        p[0][i * q[0]] = l == 0 ? -infinity<T> : p[1][i * q[1]] + std::log(l);
      }
    });
  });
}

/// Where an attend keeps its running maximum; the totals lie behind.
template <class T> placement maximum_of(engine<T> const& e, int attend) {
  node const& x = e.g[attend];
  storage const& s = e.kept[static_cast<std::size_t>(attend)];
  placement p;
  p.base = arena_base;
  p.offset = s.state_offset;
  extents of = e.ext;
  axis_set const stored = s.stored & ~bit_of(x.aux);
  if (e.win.rows > 0 && (stored >> e.win.axis & 1)) {
    p.window_axis = static_cast<std::int8_t>(e.win.axis);
    of.of[e.win.axis] = e.win.rows;
  } else if (s.ring > 0) {
    p.ring_axis = e.place(attend).ring_axis;
    p.ring = s.ring;
    of.of[p.ring_axis] = s.ring;
  }
  strides(e.g, of, stored, p.stride);
  return p;
}

}  // namespace detail

/// attend_lse reads what its attend left behind.
template <class T> void prepare_lse(engine<T>& e, task<T>& k) {
  node const& w = e.g[k.node];
  int const attend = w.arg[0];
  placement m = detail::maximum_of(e, attend);
  k.of[0] = e.address_of(k.node, w.axes, 0, k.modes);
  k.of[1] = e.address_of(m, w.axes, 0, k.modes);
  m.offset += e.kept[static_cast<std::size_t>(attend)].state_size / 2;
  k.of[2] = e.address_of(m, w.axes, 0, k.modes);
  k.all = nest{};
  k.all.joinable = !k.active_rows;
  for (int q = 0; q < e.g.naxes; ++q) {
    int const a = e.layout_order[q];
    dim d;
    if (!(w.axes >> a & 1) || !e.loop(a, k.modes, false, d)) continue;
    d.stride[0] = e.place(k.node).stride[a];
    d.stride[1] = d.stride[2] = m.stride[a];
    k.all.add(d);
  }
  k.run = &detail::lse_task<T>;
}

/// attend and its transposes. `active` of a node: it is computed on the rows of a pass alone.
template <class T> void prepare_fold(engine<T>& e, task<T>& k, std::vector<char> const& active) {
  using fold = fold_data<T>;
  node const& w = e.g[k.node];
  if (k.fold < 0) { k.fold = static_cast<int>(e.folds.size()); e.folds.emplace_back(); }
  fold& f = e.folds[static_cast<std::size_t>(k.fold)];
  fold before = std::move(f);   // its buffers are kept, and its program, which knows no ranges
  bool const query_side = w.kind == op::attend || w.kind == op::attend_dq || w.kind == op::attend_dscore_query;
  f = fold{};
  f.kind = w.kind; f.node = k.node; f.axis = w.axis;
  f.depth = w.aux >= 0 ? e.ext.of[w.aux] : 1;
  f.near_is_query = query_side;
  f.keys_earlier = w.kind == op::attend ? w.far[3] > 0 : query_side ? w.far[4] > 0 : w.far[2] < 0;
  int nodes[fold::max_operands];
  for (int& n : nodes) n = -1;
  nodes[fold::result] = k.node;
  if (w.kind == op::attend) {
    nodes[fold::query] = w.arg[0]; nodes[fold::self_score] = w.arg[1]; nodes[fold::self_value] = w.arg[2];
    nodes[fold::key] = w.arg[3]; nodes[fold::value] = w.arg[4];
  } else {
    int const q = query_side ? 0 : 2, key = query_side ? 4 : 0;
    nodes[fold::query] = w.arg[q]; nodes[fold::lse] = w.arg[q + 1]; nodes[fold::da] = w.arg[q + 2]; nodes[fold::delta] = w.arg[q + 3];
    nodes[fold::key] = w.arg[key]; nodes[fold::value] = w.arg[key + 1];
    f.active_queries = active[static_cast<std::size_t>(w.arg[q + 1])] != 0;
  }
  f.leaves = std::move(before.leaves);
  bool const forward = w.kind == op::attend;
  if (before.node == k.node) f.program = std::move(before.program);
  else f.program = pair_program_of<T>(e.g, w.arg[forward ? 5 : 6], forward ? -1 : w.arg[7], w.axis, f.leaves);
  auto const& leaves = f.leaves;
  f.count = fold::first_leaf + static_cast<int>(leaves.size());
  if (f.count > fold::max_operands) raise(error_kind::argument, "a score reads more values than the engine holds");
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    nodes[fold::first_leaf + static_cast<int>(l)] = leaves[l].node;
    f.x[fold::first_leaf + static_cast<int>(l)].of_key = leaves[l].at_key;
  }
  f.x[fold::key].of_key = f.x[fold::value].of_key = true;
  f.x[fold::result].of_key = !query_side;

  placement where[fold::max_operands];
  axis_set all = 0;
  for (int s = 0; s < f.count; ++s) {
    if (s == fold::maximum || s == fold::total) {
      if (w.kind != op::attend) continue;
      where[s] = detail::maximum_of(e, k.node);
      if (s == fold::total) where[s].offset += e.kept[static_cast<std::size_t>(k.node)].state_size / 2;
    } else if (nodes[s] >= 0) {
      where[s] = e.place(nodes[s]);
      all |= e.g[nodes[s]].axes;
    } else {
      continue;
    }
    f.x[s].present = true;
  }
  axis_set const own = bit_of(w.axis) | (w.aux >= 0 ? bit_of(w.aux) : 0);
  axis_set const outer = all & ~own & ~pair_bit, gone = outer & ~w.axes;
  for (int q = 0; q < e.g.naxes; ++q) {
    int const a = e.layout_order[q];
    dim d;
    if (!(outer >> a & 1) || !e.loop(a, k.modes, gone >> a & 1, d)) continue;
    if (f.dims == fold::max_outer) raise(error_kind::argument, "a fold runs over more axes than the engine's loops hold");
    auto& o = f.d[f.dims++];
    o.n = d.n; o.axis = d.axis;
    o.of_result = w.axes >> a & 1;
    for (int s = 0; s < f.count; ++s) if (f.x[s].present) o.stride[s] = where[s].stride[a];
  }
  for (int s = 0; s < f.count; ++s) {
    if (!f.x[s].present) continue;
    f.x[s].of = e.address_of(where[s], outer & ~gone, outer & gone, k.modes);
    f.x[s].row = e.axis_of(where[s], w.axis);
    f.x[s].depth = w.aux >= 0 ? where[s].stride[w.aux] : 0;
  }
  f.tileable = f.x[fold::result].row.stride != 0 && f.x[fold::result].row.ring == 0;
  choose_blocks(f, e.query_block, e.key_block);
  f.scratch = std::move(before.scratch);
  f.scratch_size = fold_room<T>(f, nullptr).size;
  f.scratch.resize(e.pack.size() * static_cast<std::size_t>(f.scratch_size));
  std::int64_t const far = fold_room<T>(f, nullptr).far_size;
  for (auto& p : e.pack) {   // of a few near rows with a far block: scores, and sums
    p.reserve(far, (std::max)(far, few_near<T>), f.depth);
    p.reserve(f.depth, f.depth, far);
  }
  k.run = &detail::fold_task_run<T>;
}

}  // namespace dyadic::cpu
