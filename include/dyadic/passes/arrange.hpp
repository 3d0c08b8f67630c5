// From a graph to a plan: an order of its (node, position) points that every edge respects. Allen and Kennedy's loop distribution:
// what has no cycle is one statement over all its axes; a cycle is cut by a loop over an axis along which all its far edges point one way.
// Along the axes of repeats and solver passes distribution is undone: everything that has such an axis is gathered in few loops over it.
#pragma once
#include "dyadic/passes/causality.hpp"
#include "dyadic/passes/order.hpp"
#include "dyadic/passes/stages.hpp"
#include "dyadic/plan/plan.hpp"

namespace dyadic {

namespace detail {
class arranger {
 public:
  plan out;

  constexpr arranger(graph_view graph, order const& o)
      : g_(graph), d_(graph), c_(graph, d_), list_(graph.size), key_(graph.size), tiled_(graph.size) {
    for (int solvers = 1; solvers >= 0; --solvers)   // a solver's passes enclose the layers
      for (int a = 0; a < g_.naxes; ++a)
        if (g_.axes[a].role == (solvers ? axis_role::pass : axis_role::repeat) && (o.grouped >> a & 1))
          grouping_.push(static_cast<std::int8_t>(a));
    int n = 0;
    for (int i = 0; i < g_.size; ++i) if (is_statement(i)) list_.p[n++] = static_cast<std::int16_t>(i);
    if (o.force < 0) arrange_set(list_.p, n, 0, 0);
    else forced(n, o);
  }

 private:
  graph_view g_;
  dependences d_;
  component_finder c_;
  grown<std::int8_t> grouping_;
  scratch<std::int16_t> list_, key_;
  scratch<std::uint8_t> tiled_;   // by node: a fold that takes tiles in the loop being opened

  constexpr bool is_statement(int i) const {
    node const& x = g_.nodes[i];
    return x.kind != op::input && x.kind != op::param && !(x.axes & pair_bit);
  }
  constexpr void run(int i) {
    stmt s;
    s.kind = stmt::run; s.id = static_cast<std::int16_t>(i); s.tiled = tiled_.p[i];
    out.s.push(s);
  }
  constexpr int begin(int axis, int dir, bool tiled = false, bool levelled = false) {
    stmt s;
    s.kind = stmt::begin;
    s.id = static_cast<std::int16_t>(axis);
    s.dir = static_cast<std::int8_t>(dir);
    s.tiled = tiled;
    s.levelled = levelled;
    return out.s.push(s);
  }
  constexpr void end(int begin) {
    stmt s;
    s.kind = stmt::end; s.id = out.s.p[begin].id; s.other = static_cast<std::int16_t>(begin);
    out.s.p[begin].other = static_cast<std::int16_t>(out.s.push(s));
  }
  constexpr void stuck(int i, int axis) {
    if (out.stuck >= 0) return;
    out.stuck = i;
    out.stuck_axis = axis;
  }

  // to[0 .. n) = list sorted by key_[node], stable; start[k] is where key k begins.
  constexpr void sort(std::int16_t const* list, int n, int keys, std::int16_t* to, int* start) const {
    std::int16_t const* const key = key_.p;
    for (int k = 0; k <= keys; ++k) start[k] = 0;
    for (int k = 0; k < n; ++k) ++start[key[list[k]] + 1];
    for (int k = 0; k < keys; ++k) start[k + 1] += start[k];
    for (int k = 0; k < n; ++k) to[start[key[list[k]]]++] = list[k];
    for (int k = keys; k > 0; --k) start[k] = start[k - 1];
    start[0] = 0;
  }

  // list[0 .. n): ascending. done: axes of the loops around. outside: grouping axes whose loops were opened beside this set.
  constexpr void arrange_set(std::int16_t* list, int n, axis_set done, axis_set outside) {
    if (!n) return;
    c_.mark(list, n);
    int const count = c_.find(list, n, done);
    scratch<std::int16_t> by(n);
    scratch<int> start(count + 1);
    axis_set present = 0;
    for (int k = 0; k < n; ++k) { int const v = list[k]; key_.p[v] = c_.of.p[v]; present |= g_.nodes[v].axes; }
    sort(list, n, count, by.p, start.p);
    for (int k = 0; k < grouping_.size; ++k) {
      int const a = grouping_.p[k];
      if ((present & ~done & ~outside) >> a & 1 && group(list, n, {by.p, start.p, count}, a, done, outside)) return;
    }
    for (int u = 0; u < count; ++u) {
      int const first = start.p[u], size = start.p[u + 1] - first;
      if (size == 1 && !reads_itself(by.p[first], done)) run(by.p[first]);
      else cut(by.p + first, size, done);
    }
  }
  constexpr bool reads_itself(int i, axis_set done) const {
    int const axis = g_.nodes[i].axis;
    if (axis < 0 || (done >> axis & 1)) return false;
    for (int q = d_.first.p[i]; q < d_.first.p[i + 1]; ++q) if (d_.edges.p[q].on == i) return true;
    return false;
  }

  // The set as loops over grouping axis a and what lies between them. False if nothing in it can be in such a loop.
  constexpr bool group(std::int16_t* list, int n, component_list const& l, int a, axis_set done, axis_set outside) {
    stages const s(c_, l, a, done);
    if (!s.any) return false;
    int const places = 2 * s.count() + 1;
    scratch<std::int16_t> by(n);
    scratch<int> start(places + 1);
    for (int u = 0; u < l.count; ++u) {
      std::int16_t const place = static_cast<std::int16_t>(s.place(u));
      for (int k = l.start[u]; k < l.start[u + 1]; ++k) key_.p[l.node[k]] = place;
    }
    sort(list, n, places, by.p, start.p);
    for (int p = 0; p < places; ++p) {
      int const first = start.p[p], size = start.p[p + 1] - first;
      if (!size) continue;
      if (p % 2 == 0) { arrange_set(by.p + first, size, done, outside | bit_of(a)); continue; }
      int const b = begin(a, s.direction.p[(p + 1) / 2] == stages::up ? 1 : -1);
      arrange_set(by.p + first, size, done | bit_of(a), 0);
      end(b);
    }
    return true;
  }

  // A cycle becomes a loop: over an axis that all of it has, along which all its far edges point one way, and across which nothing reads.
  constexpr void cut(std::int16_t* list, int n, axis_set done) {
    std::int32_t const id = c_.mark(list, n);
    axis_set common = ~axis_set{0}, up = 0, down = 0, across = 0, stepwise = 0;   // stepwise: axes of far edges other than a tree's
    for (int k = 0; k < n; ++k) {
      int const v = list[k];
      node const& x = g_.nodes[v];
      common &= x.axes;
      if (x.axis < 0) continue;
      axis_set own = 0;
      if (reads_across(g_, v, x.axis)) own |= bit_of(x.axis);
      if (x.aux >= 0 && reads_across(g_, v, x.aux)) own |= bit_of(x.aux);
      if (x.inner >= 0 && reads_across(g_, v, x.inner)) own |= bit_of(x.inner);
      for (int q = d_.first.p[v]; q < d_.first.p[v + 1]; ++q) {
        dependence const& e = d_.edges.p[q];
        if (c_.set.p[e.on] != id) continue;
        across |= own & g_.nodes[e.on].axes;
        if (!e.far || (done >> x.axis & 1)) continue;
        (e.far > 0 ? up : down) |= bit_of(x.axis);
        if (x.kind != op::take && x.kind != op::put) stepwise |= bit_of(x.axis);
      }
    }
    int const a = preferred(common & (up ^ down) & ~across & ~done);
    if (a < 0) return stuck(list[0], -1);
    bool const levelled = !(stepwise >> a & 1);
    bool const tiles =
        !levelled && g_.axes[a].role != axis_role::pass && g_.axes[a].role != axis_role::repeat && mark_tiles(list, n, a, id);
    int const b = begin(a, up >> a & 1 ? 1 : -1, tiles, levelled);
    arrange_set(list, n, done | bit_of(a), 0);
    end(b);
  }
  constexpr int preferred(axis_set usable) const {
    int best = -1;
    auto rank = [&](int a) { return g_.axes[a].role == axis_role::pass ? 2 : g_.axes[a].role == axis_role::repeat ? 1 : 0; };
    for (int a = 0; a < g_.naxes; ++a) if ((usable >> a & 1) && (best < 0 || rank(a) > rank(best))) best = a;
    return best;
  }

  // A fold takes tiles in the loop over its axis if all it reads at its own position, but for the self pair, is known before the loop.
  constexpr bool mark_tiles(std::int16_t const* list, int n, int a, std::int32_t id) {
    bool some = false;
    for (int k = 0; k < n; ++k) {
      int const v = list[k];
      node const& x = g_.nodes[v];
      if (x.axis != a || (x.kind != op::attend && !belongs_to_key(x.kind))) continue;
      int const own = x.kind == op::attend ? 1 : 2;   // operands 0 ... own - 1 are the side that waits
      bool known = true, fed = false;
      for (int q = d_.first.p[v]; q < d_.first.p[v + 1]; ++q) {
        dependence const& e = d_.edges.p[q];
        if (c_.set.p[e.on] != id) continue;
        if (e.far) fed = true;
        else if (e.operand < own || e.operand == dependence::in_score) known = false;
      }
      if (!known || !fed) continue;
      tiled_.p[v] = 1;
      some = true;
    }
    return some;
  }

  // Everything that has the axis, a part of it, or is a merge of a tree over it, in one loop; before it what does not need the loop.
  constexpr void forced(int n, order const& o) {
    causality_classes const classes(g_, d_, o.force);
    moving_axes const& m = classes.moving;
    axis_set const all = m.parts() | m.merges;
    enum : std::uint8_t { before, body, after };
    scratch<std::uint8_t> where(g_.size);
    for (int k = 0; k < n; ++k) where.p[list_.p[k]] = g_.nodes[list_.p[k]].axes & all ? body : before;
    for (bool more = true; more;) {
      more = false;
      for (int k = 0; k < n; ++k) {
        int const v = list_.p[k];
        if (where.p[v] != before) continue;
        for (int q = d_.first.p[v]; q < d_.first.p[v + 1] && where.p[v] == before; ++q)
          if (where.p[d_.edges.p[q].on] != before) { where.p[v] = after; more = true; }
      }
    }
    for (int k = 0; k < n; ++k) if (where.p[list_.p[k]] == body) check_known(list_.p[k], classes, where.p, after, o);
    for (int k = 0; k < n; ++k) key_.p[list_.p[k]] = where.p[list_.p[k]];
    scratch<std::int16_t> by(n);
    scratch<int> start(4);
    sort(list_.p, n, 3, by.p, start.p);
    arrange_set(by.p, start.p[1], 0, 0);
    int const b = begin(o.force, o.force_dir);
    out.s.p[b].streamed = all != bit_of(o.force);
    arrange_set(by.p + start.p[1], start.p[2] - start.p[1], m.parts(), 0);
    for (int k = b; k < out.s.size; ++k) {
      stmt& s = out.s.p[k];
      if (s.kind == stmt::run && once_a_chunk(s.id, classes))
        s.guard = classes.of.p[s.id] >= reach::up_to_t ? stmt::chunk_end : stmt::chunk_begin;
    }
    end(b);
    arrange_set(by.p + start.p[2], start.p[3] - start.p[2], 0, 0);
  }
  // What has one value a chunk; or one a position of the chunk, all of which are known at its end (weights of a softmax over the chunk).
  constexpr bool once_a_chunk(int v, causality_classes const& classes) const {
    moving_axes const& m = classes.moving;
    axis_set const has = g_.nodes[v].axes;
    if (!(has & m.parts()) || !m.one_chunking) return false;   // of two kinds of chunks, neither's end is the other's
    if (!(has & m.per_position())) return true;
    return classes.of.p[v] == reach::whole_chunk && !(has & (m.positions | m.split_again));
  }
  // A node of the forced loop that needs a value known only later: after the loop, at a later position, or at the end of its chunk.
  constexpr void check_known(int v, causality_classes const& classes, std::uint8_t const* where, std::uint8_t after, order const& o) {
    node const& x = g_.nodes[v];
    for (int q = d_.first.p[v]; q < d_.first.p[v + 1]; ++q) {
      dependence const& e = d_.edges.p[q];
      if (where[e.on] == after) stuck(v, o.force);
      if (e.far && (classes.moving.parts() >> x.axis & 1) && e.far != o.force_dir) stuck(v, o.force);
    }
    if (o.force_dir > 0 && classes.of.p[v] > (once_a_chunk(v, classes) ? reach::whole_chunk : reach::up_to_t)) stuck(v, o.force);
  }
};
}  // namespace detail

/// A plan of every node of the graph. `stuck` names a node of a cycle that no loop can cut, or of a forced loop that cannot be run.
constexpr plan arrange(graph_view g, order const& o = {}) {
  detail::arranger a(g, o);
  return static_cast<plan&&>(a.out);
}

}  // namespace dyadic
