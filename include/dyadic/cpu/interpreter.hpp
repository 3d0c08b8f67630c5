// The plain engine: runs a plan on one arena, in float or double. The oracle of all other engines, and fast enough to train small models.
#pragma once
#include <limits>
#include <vector>

#include "dyadic/cpu/loops.hpp"

namespace dyadic::cpu {

struct options {
  bool fuse = true;                ///< false: every statement by itself; of programs, whose groups have kernels
  bool tiles = true;               ///< false: folds of tiled loops are computed row by row
  bool poison = false;             ///< fill the arena with NaN before every run, and reused bytes when they become another value's
  std::int64_t query_block = 0, key_block = 0;   ///< rows of attention's blocks; 0: chosen by sizes
  workers on{};                    ///< the executor's threads run parts of statements; results do not depend on it
  double least_work = 5000;        ///< nanoseconds, roughly, that a part takes at least
  bool keep_panels = true;         ///< false: what a loop leaves as it is is not packed once for its products
  bool fixed_parameters = false;   ///< parameters stay as they are until bind_leaf is called for them again: products keep packed copies
};

template <class T> class interpreter {
 public:
  /// The graph's tables, the plan and m are read as long as the interpreter lives; e must be complete. kernels: of the groups of a fused
  /// plan, by number; without, their steps are run one after another.
  interpreter(graph_view g, plan_view p, memory_plan const& m, extents const& e, options const& o = {},
              group_kernel<T> const* kernels = nullptr)
      : options_(o) {
    if (p.stuck >= 0) raise(error_kind::argument, "the plan is stuck on a recurrence that no loop can cut");
    check_ranks(g);
    auto& s = run_.e;
    s.g = g;
    s.ext = e;
    s.win = {m.window > 0 ? m.stream : -1, m.window};
    s.where = placements(g, m, e);
    s.kept.assign(m.of.p, m.of.p + g.size);
    s.query_block = o.query_block;
    s.key_block = o.key_block;
    s.on = {o.on, o.least_work};
    s.pack.resize(static_cast<std::size_t>((std::max)(o.on.threads(), 1)));
    s.keeps_panels = o.keep_panels;
    s.fixed_parameters = o.fixed_parameters;
    s.order_axes();
    for (int a = 0; a < g.naxes; ++a) set_whole(a);
    arena_.assign(static_cast<std::size_t>(m.arena) + 1, T(0));
    state_.assign(static_cast<std::size_t>(m.state) + 1, T(0));
    make_constants();
    s.bases = {arena_.data(), state_.data(), constants_.data(), positions_.data()};
    s.bases.resize(static_cast<std::size_t>(first_leaf_base + g.nleaves), nullptr);
    run_.tiles = o.tiles;
    if (o.poison) {
      run_.born.resize(static_cast<std::size_t>(p.size) + 1);
      for (int i = 0; i < g.size; ++i)
        if (m.of.p[i].region == storage::arena && m.of.p[i].since >= 0) run_.born[static_cast<std::size_t>(m.of.p[i].since)].push_back(i);
    }
    run_.code.plan = p;
    run_.code.kernels = kernels;
    run_.code.find_groups(g);
    run_.code.find_loops(g);
    make_trees();
    make_active();
    for (int l = 0; l < g.nleaves; ++l) if (has_no_elements(l)) bind_leaf(l, nullptr);
    prepare();   // for the longest ranges: later ones fill the same memory
  }
  interpreter(interpreter const&) = delete;
  interpreter& operator=(interpreter const&) = delete;

  /// The leaf's elements, row-major in leaf.order, with leaf.index_axis outermost. Read by every later run.
  void bind_leaf(int leaf, T const* data) {
    if (!data && has_no_elements(leaf)) data = constants_.data();   // an empty vector's data() may be null
    run_.e.bases[static_cast<std::size_t>(first_leaf_base + leaf)] = const_cast<T*>(data);
    forget_panels(run_.e, kept_in::until_bound, run_.e.g.leaves[leaf].node);
  }
  /// Elements of the copies of operands that are packed once for a loop, or until they are bound again.
  std::int64_t panels_size() const {
    std::int64_t n = 0;
    for (auto const& w : run_.e.panels) n += static_cast<std::int64_t>(w.memory.size());
    return n;
  }
  /// The buffer of what survives between runs: state_size() elements. nullptr: the interpreter's own.
  void bind_state(T* data) { run_.e.bases[state_base] = data ? data : state_.data(); }
  T* state() { return run_.e.bases[state_base]; }
  std::int64_t state_size() const { return static_cast<std::int64_t>(state_.size()) - 1; }

  /// Later runs compute the positions [begin, end) of the axis alone; before the first call those of the whole axis, or of its window.
  /// Allocates nothing, nor does the run that follows. Errors: a range outside the axis, or longer than its window.
  void set_rows(int axis, std::int64_t begin, std::int64_t end) {
    auto& s = run_.e;
    if (begin < 0 || end < begin || end > s.ext.of[axis]) raise(error_kind::index, "set_rows: a range outside its axis");
    if (axis == s.win.axis && end - begin > s.win.rows) raise(error_kind::index, "set_rows: a range longer than the window");
    bool const part = end - begin != s.ext.of[axis];
    if (s.rows[axis].n != end - begin || s.restricted[axis] != part) prepared_ = false;
    s.rows[axis] = {begin, end - begin, 1};
    s.restricted[axis] = part;
    if (axis == s.win.axis) s.window_begin = begin;
  }
  void reset_rows() {
    for (int a = 0; a < run_.e.g.naxes; ++a) if (run_.e.restricted[a]) set_whole(a);
  }

  /// Keys of the random nodes; dropout masks are 1 unless training.
  void set_random(std::uint64_t seed, std::uint64_t step, bool training) {
    run_.e.seed = seed; run_.e.step = step; run_.e.training = training;
  }
  /// Interleaved solving: pass 0 computes every row, pass p > 0 the rows t with t % stride == p - 1. Set to (passes - 1) at first.
  void set_active(std::int64_t stride) {
    auto& s = run_.e;
    s.active_stride = stride;
    for (int l = 0; l < s.g.nleaves; ++l) {
      leaf const& x = s.g.leaves[l];
      if (x.role != leaf_role::active || x.node < 0) continue;
      auto& v = tables_[static_cast<std::size_t>(l)];
      std::int64_t const passes = s.ext.of[s.pass_axis], rows = s.ext.of[s.row_axis];
      v.assign(static_cast<std::size_t>(passes * rows) + 1, T(0));
      std::int64_t const by_pass = s.place(x.node).stride[s.pass_axis], by_row = s.place(x.node).stride[s.row_axis];
      for (std::int64_t i = 0; i < passes; ++i)
        for (std::int64_t t = 0; t < rows; ++t)
          if (i == 0 || (stride > 0 && t % stride == i - 1)) v[static_cast<std::size_t>(i * by_pass + t * by_row)] = T(1);
      bind_leaf(l, v.data());
    }
  }

  /// Has `o` look on in later runs; nullptr: nobody. It is read as long as it is set.
  void observe(observer* o) {
    run_.watch = o;
    run_.e.on.widest = o ? &o->parts : nullptr;
  }

  /// The executor's.
  int threads() const { return run_.e.on.on.threads(); }

  /// Executes the plan over the current rows; allocates nothing. Errors: error_kind::state when a leaf has no data.
  void run() {
    auto& s = run_.e;
    for (int l = 0; l < s.g.nleaves; ++l)
      if (s.g.leaves[l].node >= 0 && !s.bases[static_cast<std::size_t>(first_leaf_base + l)])
        raise(error_kind::state, message() << "run: leaf " << l << " (" << s.g.leaves[l].name << ") is not bound");
    if (!prepared_) prepare();
    if (options_.poison) for (T& x : arena_) x = std::numeric_limits<T>::quiet_NaN();
    run_.run();
  }

  /// Elements of an output over the current rows.
  std::int64_t output_size(int output) const {
    auto const& o = run_.e.g.outputs[output];
    std::int64_t n = 1;
    for (int r = 0; r < o.rank; ++r) n *= run_.e.rows[o.order[r]].n;
    return n;
  }
  /// Copies an output over the current rows to `to`, row-major in its own order of axes.
  void output(int output, T* to) const {
    auto const& s = run_.e;
    auto const& o = s.g.outputs[output];
    if (output_size(output) == 0) return;
    // Every axis is a linear walk but the one that keeps a ring of rows; the innermost is a plain loop.
    placement const& p = s.place(o.node);
    int const last = o.rank - 1;
    std::int64_t const n = last >= 0 ? s.rows[o.order[last]].n : 1, lines = output_size(output) / n;
    bool const linear = last < 0 || s.axis_of(o.node, o.order[last]).ring == 0;
    std::int64_t const stride = last >= 0 ? p.stride[o.order[last]] : 0;
    T const* const base = s.bases[static_cast<std::size_t>(p.base)];
    double const work = static_cast<double>(lines) * (20 + 0.3 * static_cast<double>(n));
    each_piece(s.on, lines, work, [&](std::int64_t begin, std::int64_t end, int) {
      std::int64_t position[max_axes]{}, rest = begin;
      if (last >= 0) position[o.order[last]] = s.rows[o.order[last]].lo;
      for (int r = last - 1; r >= 0; --r) {
        range const& w = s.rows[o.order[r]];
        position[o.order[r]] = w.lo + rest % w.n;
        rest /= w.n;
      }
      for (std::int64_t line = begin; line < end; ++line) {
        T* const here = to + line * n;
        if (linear) {
          T const* const from = base + offset_of(o.node, position);
          for (std::int64_t i = 0; i < n; ++i) here[i] = from[i * stride];
        } else {
          for (std::int64_t i = 0; i < n; ++i, ++position[o.order[last]]) here[i] = value(o.node, position);
          position[o.order[last]] -= n;
        }
        for (int r = last - 1; r >= 0; --r) {
          range const& w = s.rows[o.order[r]];
          if (++position[o.order[r]] < w.lo + w.n) break;
          position[o.order[r]] = w.lo;
        }
      }
    });
  }
  /// Where an output lies over the current rows, until the next run: its first element there, and the strides by axis.
  /// Errors: error_kind::state, when its rows are kept in a ring.
  T const* output_at(int output, std::int64_t* strides) const {
    auto const& s = run_.e;
    dyadic::output const& o = s.g.outputs[output];
    std::int64_t first[max_axes]{};
    for (int r = 0; r < o.rank; ++r) {
      along const w = s.axis_of(o.node, o.order[r]);
      if (w.ring) raise(error_kind::state, message() << "output " << o.name << " is kept in a ring of rows: copy it");
      strides[o.order[r]] = w.stride;
      first[o.order[r]] = s.rows[o.order[r]].lo;
    }
    return s.bases[static_cast<std::size_t>(s.place(o.node).base)] + offset_of(o.node, first);
  }
  /// How many positions of an axis a run computes.
  std::int64_t rows(int axis) const { return run_.e.rows[axis].n; }
  std::vector<T> output(int number) const {
    std::vector<T> r(static_cast<std::size_t>(output_size(number)));
    output(number, r.data());
    return r;
  }

  /// Node i at a position of every axis: what is stored there now.
  T value(int i, std::int64_t const* position) const {
    return run_.e.bases[static_cast<std::size_t>(run_.e.place(i).base)][offset_of(i, position)];
  }
  extents const& bound() const { return run_.e.ext; }
  std::vector<T>& arena() { return arena_; }

 private:
  plan_executor<T> run_;
  options options_;
  std::vector<T> arena_, state_, constants_, positions_;
  std::vector<std::vector<T>> tables_;   // by leaf: tables of trees, active rows
  bool prepared_ = false;

  /// Nests have room for so many loops.
  static void check_ranks(graph_view const& g) {
    for (int i = 0; i < g.size; ++i) {
      axis_set all = g[i].axes;
      for (int k = 0; k < g[i].nargs; ++k) if (g[i].arg[k] >= 0) all |= g[g[i].arg[k]].axes;
      if (__builtin_popcount(all & ~pair_bit) > max_dims)
        raise(error_kind::argument, message() << "the operation " << op_name(g[i].kind) << " runs over more than " << max_dims << " axes");
    }
  }
  bool has_no_elements(int leaf) const {
    auto const& s = run_.e;
    return s.g.leaves[leaf].node >= 0 && points(s.ext, s.g[s.g.leaves[leaf].node].axes) == 0;
  }
  std::int64_t offset_of(int i, std::int64_t const* position) const {
    auto const& s = run_.e;
    placement const& p = s.place(i);
    std::int64_t o = p.offset;
    for (int a = 0; a < s.g.naxes; ++a) if (p.stride[a]) o += s.offset(s.axis_of(i, a), position[a]);
    return o;
  }
  void prepare() {
    run_.code.prepare(run_.e);
    prepared_ = true;
  }
  void set_whole(int axis) {
    auto& s = run_.e;
    std::int64_t const all = (std::max<std::int64_t>)(s.ext.of[axis], 0), n = axis == s.win.axis ? (std::min)(all, s.win.rows) : all;
    s.rows[axis] = s.at[axis] = {0, n, 1};
    s.restricted[axis] = n != all;
    if (axis == s.win.axis) s.window_begin = 0;
    prepared_ = false;
  }
  void make_constants() {
    auto& s = run_.e;
    constants_.assign(static_cast<std::size_t>(s.g.size) + 1, T(0));
    std::int64_t longest = 0;
    for (int i = 0; i < s.g.size; ++i) {
      node const& x = s.g[i];
      if (x.kind == op::constant) constants_[static_cast<std::size_t>(i)] = static_cast<T>(x.value);
      if (x.kind == op::extent) constants_[static_cast<std::size_t>(i)] = static_cast<T>(s.ext.of[x.axis]);
      if (x.kind == op::iota) longest = (std::max)(longest, s.ext.of[x.axis]);
    }
    for (std::int64_t t = 0; t <= longest; ++t) positions_.push_back(static_cast<T>(t));
  }
  void make_trees() {
    auto& s = run_.e;
    tables_.resize(static_cast<std::size_t>(s.g.nleaves));
    run_.trees.resize(static_cast<std::size_t>(s.g.ntrees));
    s.put_start.resize(static_cast<std::size_t>(s.g.size));
    s.put_item.resize(static_cast<std::size_t>(s.g.size));
    for (int a = 0; a < s.g.naxes; ++a) {
      axis_info const& x = s.g.axes[a];
      if (x.role != axis_role::merges || x.tree < 0) continue;
      bool by_time = false;
      for (int i = 0; i < run_.code.plan.size; ++i)
        by_time = by_time || (run_.code.plan[i].kind == stmt::begin && run_.code.plan[i].streamed && run_.code.plan[i].id == x.from);
      run_.trees[static_cast<std::size_t>(x.tree)] = make_tree(s.g.trees[x.tree], s.ext.of[x.from], by_time);
    }
    for (int l = 0; l < s.g.nleaves; ++l) {
      leaf const& x = s.g.leaves[l];
      if (x.node < 0 || (x.role != leaf_role::child && x.role != leaf_role::root)) continue;
      auto const& t = run_.trees[static_cast<std::size_t>(x.of)];
      auto& v = tables_[static_cast<std::size_t>(l)];
      bool const child = x.role == leaf_role::child;
      std::int64_t const n = child ? t.merges : t.leaves;
      auto const* const from = child ? t.child.data() + x.which * t.merges : t.root.data();
      v.assign(from, from + n);
      v.push_back(T(0));
      bind_leaf(l, v.data());
      for (int i = 0; i < s.g.size; ++i) {
        node const& y = s.g[i];
        if ((y.kind != op::put && y.kind != op::put_leaf) || y.arg[1] != x.node) continue;
        transpose_table(v.data(), n, y.kind == op::put_leaf, s.ext.of[y.kind == op::put ? y.axis : y.aux],
                        s.put_start[static_cast<std::size_t>(i)], s.put_item[static_cast<std::size_t>(i)]);
      }
    }
  }
  void make_active() {
    auto& s = run_.e;
    for (int l = 0; l < s.g.nleaves; ++l) {
      leaf const& x = s.g.leaves[l];
      if (x.role != leaf_role::active || x.rank < 2) continue;
      s.pass_axis = x.order[0];
      s.row_axis = x.order[1];
      set_active(s.ext.of[s.pass_axis] - 1);
    }
  }
};

}  // namespace dyadic::cpu
