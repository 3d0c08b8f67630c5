// A plan's statements prepared for execution: every run becomes a task that knows which loops stand around it.
#pragma once
#include "dyadic/cpu/contract.hpp"
#include "dyadic/cpu/far.hpp"
#include "dyadic/cpu/fold_task.hpp"
#include "dyadic/cpu/group_task.hpp"
#include "dyadic/cpu/indexed.hpp"
#include "dyadic/cpu/maps.hpp"
#include "dyadic/cpu/random_task.hpp"
#include "dyadic/cpu/rows.hpp"
#include "dyadic/cpu/trees.hpp"
#include "dyadic/cpu/views.hpp"

namespace dyadic::cpu {

/// A loop over an axis: what advances with it, and the folds that take tiles in it.
struct loop_data {
  struct part { int outer, inner; };             ///< chunk and position within it
  struct merge_axis { int axis, tree; };
  std::vector<part> parts;
  std::vector<merge_axis> merges;
  std::vector<int> tiled;                        ///< statements
  int tree = -1;                                 ///< of a levelled loop
  bool keeps_panels = false;                     ///< operands are packed once for it
};

namespace detail {
using dyadic::detail::group_readers;

inline void find_parts(graph_view g, int axis, loop_data& l) {
  auto add = [&](int outer, int inner) {
    for (auto const& p : l.parts) if (p.outer == outer && p.inner == inner) return;
    l.parts.push_back({outer, inner});
  };
  for (int i = 0; i < g.size; ++i) {
    node const& x = g[i];
    if ((x.kind == op::split || x.kind == op::merge) && x.axis == axis) add(x.aux, x.inner);
    if (x.kind != op::take || x.aux != axis) continue;
    bool known = false;
    for (auto const& m : l.merges) known = known || m.axis == x.axis;
    if (!known) l.merges.push_back({x.axis, g.axes[x.axis].tree});
  }
}

/// Notes the rings that a statement over a range of the streamed axis touches.
template <class T> void find_rings(engine<T> const& e, task<T>& k, int i) {
  node const& x = e.g[i];
  auto add = [&](int v) {
    placement const& p = e.place(v);
    if (p.ring == 0 || k.modes[p.ring_axis] == mode::single) return;
    k.ring_axis = p.ring_axis;
    for (int q = 0; q < k.rings; ++q) if (k.ring[q] == p.ring) return;
    if (k.rings == max_rings) raise(error_kind::argument, "a statement reads values kept in too many different numbers of rows");
    k.ring[k.rings++] = p.ring;
  };
  add(i);
  for (int q = 0; q < x.nargs; ++q) {
    if (x.arg[q] < 0) continue;
    if (e.g[x.arg[q]].axes & pair_bit) find_rings(e, k, x.arg[q]);
    else add(x.arg[q]);
  }
}

template <class T> void prepare(engine<T>& e, task<T>& k, std::vector<char> const& active) {
  node const& x = e.g[k.node];
  k.run = nullptr;
  if (x.axes & pair_bit) return;
  if (k.active_rows) {
    k.whole = e.address_of(k.node, x.axes, 0, k.modes);
    k.inactive = e.loops(k, x.axes, 0, k.node);
  }
  switch (traits(x.kind).kind) {
    case op_class::leaf: if (traits(x.kind).random) prepare_random(e, k); return;
    case op_class::map: return prepare_map(e, k);
    case op_class::contract: return prepare_contract(e, k);
    case op_class::indexed: return x.kind == op::gather ? prepare_gather(e, k) : prepare_scatter(e, k);
    case op_class::far: return prepare_far(e, k);
    case op_class::fold: return x.kind == op::attend_lse ? prepare_lse(e, k) : prepare_fold(e, k, active);
    case op_class::pair: return;
    case op_class::row: case op_class::view: break;
  }
  if (x.kind == op::spread || x.kind == op::keep) return prepare_map(e, k);
  if (traits(x.kind).kind == op_class::view) return prepare_view(e, k);
  if (x.kind == op::contract) return prepare_contract(e, k);
  prepare_rows(e, k);
}

/// Room for the packed operands of the plan's products, whichever of their axes become the sides of a matrix at some range of rows.
template <class T> void reserve_rooms(engine<T>& e, plan_view plan) {
  auto size = [&](axis_set s) {
    std::int64_t n = 1;
    for (int a = 0; a < e.g.naxes; ++a) if (s >> a & 1) n = (std::min)(n * e.rows[a].n, std::int64_t{1} << 30);
    return n;
  };
  for (int i = 0; i < plan.size; ++i) {
    if (plan[i].kind != stmt::run || e.g[plan[i].id].kind != op::contract) continue;
    node const& r = e.g[plan[i].id];
    axis_set const x = e.g[r.arg[0]].axes, y = e.g[r.arg[1]].axes;
    std::int64_t const m = size(r.axes & x & ~y), n = size(r.axes & y & ~x), k = size((x | y) & ~r.axes);
    for (auto& p : e.pack) {
      p.reserve(m, n, k);
      p.reserve(n, m, k);
    }
  }
}

}  // namespace detail

/// Tasks by statement, and loops by the statement that begins them.
template <class T> struct statements {
  plan_view plan;
  std::vector<task<T>> tasks;
  std::vector<loop_data> loops;
  std::vector<group_code> groups;    // by number
  group_kernel<T> const* kernels = nullptr;   // of the groups; nullptr: none were made
  std::vector<char> active;          // by node: computed on the rows of a pass alone

  void find_groups(graph_view g) {
    if (groups_of(plan) == 0) return;
    detail::group_readers const readers(g, plan);
    each_group(plan, [&](int first, int end) { groups.push_back(code_of(g, plan, readers, first, end)); });
  }
  void find_loops(graph_view g) {
    tasks.resize(static_cast<std::size_t>(plan.size));
    loops.resize(static_cast<std::size_t>(plan.size));
    active.assign(static_cast<std::size_t>(g.size), 0);
    for (int i = 0; i < plan.size; ++i)
      if (plan[i].kind == stmt::run && plan[i].active_rows) active[static_cast<std::size_t>(plan[i].id)] = 1;
    for (int i = 0; i < plan.size; ++i) {
      stmt const& s = plan[i];
      if (s.kind != stmt::begin) continue;
      loop_data& l = loops[static_cast<std::size_t>(i)];
      if (s.streamed) detail::find_parts(g, s.id, l);
      if (s.levelled) l.tree = g.axes[s.id].tree;
      int depth = 0;
      for (int j = i + 1; s.tiled && j < s.other; ++j) {
        depth += plan[j].kind == stmt::begin ? 1 : plan[j].kind == stmt::end ? -1 : 0;
        if (depth == 0 && plan[j].kind == stmt::run && plan[j].tiled && g[plan[j].id].axis == s.id) l.tiled.push_back(j);
      }
    }
  }

  /// Prepares every task for the caller's rows. The first time for the longest ranges: it makes all buffers, and another time none.
  void prepare(engine<T>& e) {
    if (!sized) detail::reserve_rooms(e, plan);
    sized = true;
    int open[max_axes * 2], count = 0;
    axis_set advance[max_axes * 2];   // axes whose positions the open loops move
    for (int i = 0; i < plan.size; ++i) {
      stmt const& s = plan[i];
      if (s.kind == stmt::begin) {
        advance[count] = bit_of(s.id);
        for (auto const& p : loops[static_cast<std::size_t>(i)].parts) advance[count] |= bit_of(p.outer) | bit_of(p.inner);
        for (auto const& m : loops[static_cast<std::size_t>(i)].merges) advance[count] |= bit_of(m.axis);
        open[count++] = i;
        continue;
      }
      if (s.kind == stmt::end) { --count; continue; }
      task<T>& k = tasks[static_cast<std::size_t>(i)];
      k.node = s.id;
      k.guard = s.guard;
      k.active_rows = s.active_rows && e.row_axis >= 0;
      k.each_pass = false;
      for (auto& m : k.modes) m = mode::rows;
      for (int q = 0; q < count; ++q) {
        stmt const& b = plan[open[q]];
        k.modes[b.id] = b.levelled ? mode::varying : mode::single;
        if (!b.streamed) continue;
        for (auto const& p : loops[static_cast<std::size_t>(open[q])].parts) {
          k.modes[p.outer] = mode::single;
          k.modes[p.inner] = s.guard == stmt::always ? mode::single : mode::rows;
        }
        for (auto const& m : loops[static_cast<std::size_t>(open[q])].merges) k.modes[m.axis] = mode::varying;
      }
      if (k.active_rows) {
        if (k.modes[e.row_axis] == mode::rows) k.modes[e.row_axis] = mode::varying;
        if (k.modes[e.pass_axis] == mode::rows) { k.modes[e.pass_axis] = mode::single; k.each_pass = true; }
      }
      k.rings = 0;
      k.ring_axis = -1;
      detail::find_rings(e, k, k.node);
      if (k.rings) k.modes[k.ring_axis] = mode::varying;
      k.plain = k.guard == stmt::always && !k.active_rows && k.rings == 0;
      k.group = s.group;
      if (s.group < 0) {
        for (int x = 0; k.plain && e.g[s.id].kind == op::contract && x < 2; ++x)
          k.kept[x] = detail::kept_of(e, plan, open, advance, count, e.g[s.id].arg[x]);
        detail::prepare(e, k, active);
        continue;
      }
      bool const first = i == 0 || plan[i - 1].kind != stmt::run || plan[i - 1].group != s.group;
      std::size_t const q = static_cast<std::size_t>(s.group);
      if (first) prepare_group(e, k, groups[q], kernels ? kernels[q] : nullptr);
      else k.run = nullptr;
    }
    e.panels_made = true;
    for (std::size_t i = 0; i < e.panels.size(); ++i)
      if (e.panels[i].loop >= 0) loops[static_cast<std::size_t>(e.panels[i].loop)].keeps_panels = true;
  }

 private:
  bool sized = false;
};

}  // namespace dyadic::cpu
