// How the components of a set share loops over one grouping axis (the layers of a stack, the passes of a solver). A stage is one loop
// with one direction; what cannot be in such a loop lies before, between or after them.
#pragma once
#include "dyadic/passes/components.hpp"

namespace dyadic::detail {

/// The components of a set in one array, by their numbers.
struct component_list {
  std::int16_t const* node;   ///< component c is node[start[c]], ..., node[start[c + 1] - 1]
  int const* start;
  int count;
};

class stages {
 public:
  scratch<std::uint8_t> loops;      ///< by component: can it be in a loop over the axis?
  scratch<std::int16_t> at;         ///< by component: its stage, from 1; of what does not loop: the stage after which it comes, from 0
  grown<std::uint8_t> direction;    ///< by stage: `up` or `down`; [0] is unused
  bool any = false;                 ///< some component loops
  static constexpr std::uint8_t up = 1, down = 2;

  constexpr stages(component_finder const& c, component_list const& l, int axis, axis_set done)
      : loops(l.count), at(l.count), c_(c), l_(l), axis_(axis), done_(done), own_(l.count) {
    direction.push(0);
    for (int u = 0; u < l_.count; ++u) classify(u);
    if (!any) return;
    for (int u = 0; u < l_.count; ++u) place_early(u);
    for (int s = 1; s < direction.size; ++s) if (!direction.p[s]) direction.p[s] = up;
    place_late();
  }
  constexpr int count() const { return direction.size - 1; }
  /// Where a component comes in the emitted order: even numbers are places between loops, odd ones are loops.
  constexpr int place(int u) const { return loops.p[u] ? 2 * at.p[u] - 1 : 2 * at.p[u]; }

 private:
  component_finder const& c_;
  component_list const& l_;
  int axis_;
  axis_set done_;
  scratch<std::uint8_t> own_;       // by component: the direction its own far edges along the axis ask for, or 0

  static constexpr std::uint8_t side(int far) { return far > 0 ? up : down; }
  constexpr bool has(int v) const { return c_.g.nodes[v].axes >> axis_ & 1; }
  constexpr bool across(int v) const {
    node const& x = c_.g.nodes[v];
    return (x.axis == axis_ || x.aux == axis_ || x.inner == axis_) && reads_across(c_.g, v, axis_);
  }
  constexpr bool satisfied(int v) const { int const a = c_.g.nodes[v].axis; return a >= 0 && (done_ >> a & 1); }

  // A component loops if all of it has the axis, its far edges along it point one way, and nothing in it reads across.
  constexpr void classify(int u) {
    int const first = l_.start[u], last = l_.start[u + 1];
    std::int32_t const id = c_.set.p[l_.node[first]];
    for (int k = first; k < last; ++k) if (!has(l_.node[k])) return;
    std::uint8_t own = 0;
    for (int k = first; k < last; ++k) {
      int const v = l_.node[k];
      bool const along = c_.g.nodes[v].axis == axis_, reads = across(v);
      if (!along && !reads) continue;
      for (int q = c_.d.first.p[v]; q < c_.d.first.p[v + 1]; ++q) {
        dependence const& e = c_.d.edges.p[q];
        bool const inside = c_.set.p[e.on] == id && c_.of.p[e.on] == u;
        if (inside && e.far && along) own |= side(e.far);
        if (reads && has(e.on) && (inside || (last == first + 1 && !e.far))) return;
      }
    }
    if (own == (up | down)) return;
    own_.p[u] = own;
    loops.p[u] = 1;
    any = true;
  }

  // Producers first: as early as the operands allow, in a stage that runs the component's own way.
  constexpr void place_early(int u) {
    bool const loop = loops.p[u];
    std::int32_t const id = c_.set.p[l_.node[l_.start[u]]];
    int stage = loop ? 1 : 0;
    std::uint8_t sides = 0;   // far reads, along the axis, of values made in `stage` itself
    for (int k = l_.start[u]; k < l_.start[u + 1]; ++k) {
      int const v = l_.node[k];
      bool const dropped = satisfied(v), along = c_.g.nodes[v].axis == axis_, reads = loop && across(v);
      for (int q = c_.d.first.p[v]; q < c_.d.first.p[v + 1]; ++q) {
        dependence const& e = c_.d.edges.p[q];
        int const w = c_.of.p[e.on];
        if (c_.set.p[e.on] != id || w == u || (dropped && e.far)) continue;
        int const need = at.p[w] + (loop && (!loops.p[w] || (reads && has(e.on))));
        if (need < stage) continue;
        if (need > stage) { stage = need; sides = 0; }
        if (e.far && along && loops.p[w]) sides |= side(e.far);
      }
    }
    if (loop) stage = choose(stage, sides, own_.p[u]);
    at.p[u] = static_cast<std::int16_t>(stage);
  }
  constexpr int choose(int stage, std::uint8_t sides, std::uint8_t own) {
    if ((sides | own) == (up | down)) { ++stage; sides = 0; }
    std::uint8_t way = sides | own;
    auto taken = [&](int s) { return s < direction.size && direction.p[s] && direction.p[s] != way; };
    if (way && own) while (taken(stage)) ++stage;
    if (way && !own && taken(stage)) { ++stage; way = 0; }
    while (direction.size <= stage) direction.push(0);
    if (way) direction.p[stage] = way;
    return stage;
  }

  // Readers first: what no direction holds goes as late as its readers allow, so that a value only the backward loop needs is made there.
  // Results that nobody reads stay, and so does an attend's log-sum-exp: the attend has it when it runs.
  constexpr void place_late() {
    scratch<std::int16_t> latest(l_.count, 32767);
    for (int u = l_.count - 1; u >= 0; --u) {
      bool const loop = loops.p[u], pinned = own_.p[u] || c_.g.nodes[l_.node[l_.start[u]]].kind == op::attend_lse;
      if (!pinned && latest.p[u] < 32767 && latest.p[u] > at.p[u]) at.p[u] = latest.p[u];
      int const stage = at.p[u];
      std::int32_t const id = c_.set.p[l_.node[l_.start[u]]];
      for (int k = l_.start[u]; k < l_.start[u + 1]; ++k) {
        int const v = l_.node[k];
        bool const dropped = satisfied(v), along = c_.g.nodes[v].axis == axis_, reads = loop && across(v);
        for (int q = c_.d.first.p[v]; q < c_.d.first.p[v + 1]; ++q) {
          dependence const& e = c_.d.edges.p[q];
          int const w = c_.of.p[e.on];
          if (c_.set.p[e.on] != id || w == u || (dropped && e.far)) continue;
          bool const before = loop && (!loops.p[w] || (reads && has(e.on)) || (e.far && along && side(e.far) != direction.p[stage]));
          int const bound = before ? stage - 1 : stage;
          if (bound < latest.p[w]) latest.p[w] = static_cast<std::int16_t>(bound);
        }
      }
    }
  }
};

}  // namespace dyadic::detail
