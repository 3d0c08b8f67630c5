// Execution of prepared statements: loops, guards, levels, tiles, and the active rows of a pass.
#pragma once
#include "dyadic/cpu/statements.hpp"

namespace dyadic::cpu {

/// Who looks on while a plan runs: told before and after each statement. Without one, no call is made and no clock read.
struct observer {
  void (*before)(observer&, int statement) = nullptr;                  ///< -1: the whole plan
  void (*after)(observer&, int statement, int executions) = nullptr;   ///< executions: 1, for a fold's states cleared before tiles 0
  std::int64_t parts = 1;        ///< the engine's note of how finely what runs was cut; before() may reset it
};

template <class T> class plan_executor {
 public:
  engine<T> e;
  statements<T> code;
  std::vector<tree_tables> trees;    ///< by number
  bool tiles = true;
  observer* watch = nullptr;
  std::vector<std::vector<int>> born;   ///< by statement: values whose bytes become theirs there and are filled with NaN; empty: none are

  void run() {
    for (int a = 0; a < e.g.naxes; ++a) e.at[a] = e.rows[a];
    for (auto& f : e.folds) f.tiled = false;
    if (watch) watch->before(*watch, -1);
    run(0, code.plan.size);
    if (watch) watch->after(*watch, -1, 1);
  }

 private:
  struct streaming { int axis = -1; loop_data const* loop = nullptr; } stream_;   // the innermost streamed loop that is open

  void run(int from, int to) {
    for (int i = from; i < to; ++i) {
      stmt const& s = code.plan[i];
      if (!born.empty()) for (int v : born[static_cast<std::size_t>(i)]) poison(v);
      if (s.kind == stmt::begin) { loop(i); i = s.other; continue; }
      if (s.kind == stmt::end) continue;
      task<T> const& k = code.tasks[static_cast<std::size_t>(i)];
      if (!k.run) continue;
      if (k.guard == stmt::always) execute(k);
      else guarded(k);
    }
  }
  void execute(task<T> const& k) {
    observed(static_cast<int>(&k - code.tasks.data()), 1, [&] {
      if (k.plain) k.run(e, k);
      else active(k);
    });
  }
  template <class F> void observed(int statement, int executions, F&& f) {
    if (watch) watch->before(*watch, statement);
    f();
    if (watch) watch->after(*watch, statement, executions);
  }
  void poison(int node) {
    storage const& s = e.kept[static_cast<std::size_t>(node)];
    T* const first = e.bases[arena_base] + s.offset;
    std::fill(first, first + s.size, std::numeric_limits<T>::quiet_NaN());
  }
  void go(task<T> const& k) {
    if (!k.rings) return k.run(e, k);
    range const whole = e.at[k.ring_axis];
    std::int64_t const end = whole.lo + whole.n;
    for (std::int64_t t = whole.lo; t < end;) {
      std::int64_t n = end - t;
      for (int q = 0; q < k.rings; ++q) n = (std::min)(n, k.ring[q] - t % k.ring[q]);
      e.at[k.ring_axis] = {t, n, 1};
      k.run(e, k);
      t += n;
    }
    e.at[k.ring_axis] = whole;
  }

  // What a chunk begins or ends with has all positions within the chunk.
  void guarded(task<T> const& k) {
    if (!stream_.loop) return execute(k);
    std::int64_t const t = e.at[stream_.axis].lo;
    auto const* part = part_of(k.node);
    if (!part) return execute(k);
    std::int64_t const width = e.ext.of[part->inner];
    if (t % width != (k.guard == stmt::chunk_begin ? 0 : width - 1)) return;
    range const was = e.at[part->inner];
    e.at[part->inner] = {0, width, 1};
    execute(k);
    e.at[part->inner] = was;
  }
  loop_data::part const* part_of(int node) const {
    auto const& parts = stream_.loop->parts;
    if (parts.empty()) return nullptr;
    node_axes const x = axes_near(node);
    for (auto const& p : parts) if (x.set >> p.outer & 1 || x.set >> p.inner & 1) return &p;
    return &parts.front();
  }
  struct node_axes { axis_set set; };
  node_axes axes_near(int i) const {
    node const& x = e.g[i];
    axis_set s = x.axes;
    for (int k = 0; k < x.nargs; ++k) if (x.arg[k] >= 0) s |= e.g[x.arg[k]].axes;
    return {s};
  }

  bool is_active(std::int64_t p, std::int64_t t) const { return p == 0 || (e.active_stride > 0 && t % e.active_stride == p - 1); }
  void active(task<T> const& k) {
    if (!k.active_rows) return go(k);
    if (!k.each_pass) return active_rows(k);
    range const passes = e.at[e.pass_axis];
    for (std::int64_t p = passes.lo; p < passes.lo + passes.n; ++p) {
      e.at[e.pass_axis] = {p, 1, 1};
      active_rows(k);
    }
    e.at[e.pass_axis] = passes;
  }
  // Rows that are not new in the pass are 0: readers either multiply them away or sum them.
  void active_rows(task<T> const& k) {
    std::int64_t const p = e.at[e.pass_axis].lo;
    range const rows = e.at[e.row_axis];
    if (k.modes[e.row_axis] == mode::single) {
      if (is_active(p, rows.lo)) k.run(e, k);
      else fill(e, k.inactive, e.pointer(k.whole), T(0));
      return;
    }
    if (p > 0) fill(e, k.inactive, e.pointer(k.whole), T(0));
    e.at[e.row_axis] = detail::active_part(e, rows);
    if (e.at[e.row_axis].n > 0) k.run(e, k);
    e.at[e.row_axis] = rows;
  }

  void loop(int begin) {
    stmt const& s = code.plan[begin];
    loop_data const& l = code.loops[static_cast<std::size_t>(begin)];
    int const a = s.id;
    range const was = e.at[a];
    if (l.keeps_panels) forget_panels(e, begin);
    if (s.levelled) {
      // Merges of a level are independent; those of a leaf, one after another, may read the one before.
      tree_tables const& t = trees[static_cast<std::size_t>(l.tree)];
      std::int64_t const groups = t.by_time ? was.n : static_cast<std::int64_t>(t.start.size()) - 1;
      for (std::int64_t q = 0; q < groups; ++q) {
        std::int64_t const v = s.dir > 0 ? q : groups - 1 - q;
        std::int64_t const first = t.by_time ? was.lo + v : t.start[static_cast<std::size_t>(v)];
        std::int64_t const last = t.by_time ? first + 1 : t.start[static_cast<std::size_t>(v) + 1];
        std::int64_t const lo = (std::max)(first, was.lo), hi = (std::min)(last, was.lo + was.n);
        if (lo >= hi) continue;
        e.at[a] = {lo, hi - lo, 1};
        run(begin + 1, s.other);
      }
      e.at[a] = was;
      return;
    }
    bool const tile = tiles && was.n > 0 && !l.tiled.empty();
    if (tile) open_tiles(l, was, s.dir);
    streaming const outer = stream_;
    if (s.streamed) stream_ = {a, &l};
    for (std::int64_t q = 0; q < was.n; ++q) {
      std::int64_t const t = s.dir > 0 ? was.lo + q : was.lo + was.n - 1 - q;
      e.at[a] = {t, 1, 1};
      if (s.streamed) advance(l, t);
      run(begin + 1, s.other);
      if (tile) tile_after(l, was, t, s.dir);
    }
    stream_ = outer;
    e.at[a] = was;
    if (s.streamed) {
      for (auto const& p : l.parts) { e.at[p.outer] = e.rows[p.outer]; e.at[p.inner] = e.rows[p.inner]; }
      for (auto const& m : l.merges) e.at[m.axis] = e.rows[m.axis];
    }
    for (int i : l.tiled) fold_of(i).tiled = false;
  }

  void advance(loop_data const& l, std::int64_t t) {
    for (auto const& p : l.parts) {
      std::int64_t const width = e.ext.of[p.inner];
      e.at[p.outer] = {t / width, 1, 1};
      e.at[p.inner] = {t % width, 1, 1};
    }
    for (auto const& m : l.merges) {
      auto const& start = trees[static_cast<std::size_t>(m.tree)].start;
      std::size_t const k = static_cast<std::size_t>(t);
      e.at[m.axis] = {start[k], start[k + 1] - start[k], 1};
    }
  }

  fold_data<T>& fold_of(int i) { return e.folds[static_cast<std::size_t>(code.tasks[static_cast<std::size_t>(i)].fold)]; }
  range near_rows(int i, range const& r) const {
    task<T> const& k = code.tasks[static_cast<std::size_t>(i)];
    return k.active_rows && e.g[k.node].axis == e.row_axis ? detail::active_part(e, r) : r;
  }

  // Clears the folds' states; a loop over a piece starts with what lies before it.
  void open_tiles(loop_data const& l, range const& rows, int dir) {
    for (int i : l.tiled) {
      fold_data<T>& f = fold_of(i);
      f.tiled = f.tileable;
      if (!f.tiled) continue;
      observed(i, 0, [&] {
        detail::clear_fold(e, f, rows);
        std::int64_t const end = rows.lo + rows.n;
        if (dir > 0 && rows.lo > 0) detail::fold_rows(e, f, near_rows(i, rows), 0, rows.lo);
        if (dir < 0 && end < e.ext.of[f.axis]) detail::fold_rows(e, f, near_rows(i, rows), end, e.ext.of[f.axis]);
      });
    }
  }
  // Boundary b, counted from the loop's first row: with U = its lowest set bit, U rows on one side take what U rows on the other offer.
  void tile_after(loop_data const& l, range const& rows, std::int64_t t, int dir) {
    std::int64_t const b = dir > 0 ? t + 1 - rows.lo : t - rows.lo;
    if (b <= 0 || b >= rows.n) return;
    std::int64_t const u = b & -b, middle = rows.lo + b, low = middle - u, high = (std::min)(middle + u, rows.lo + rows.n);
    for (int i : l.tiled) {
      fold_data<T>& f = fold_of(i);
      if (!f.tiled) continue;
      observed(i, 1, [&] {
        if (dir > 0) detail::fold_rows(e, f, near_rows(i, {middle, high - middle, 1}), low, middle);
        else detail::fold_rows(e, f, near_rows(i, {low, u, 1}), middle, high);
      });
    }
  }
};

}  // namespace dyadic::cpu
