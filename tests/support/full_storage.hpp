// A memory plan that shares nothing: every value is stored whole, one after another.
#pragma once
#include "dyadic/plan/storage.hpp"

namespace dyadic::testing {

inline memory_plan full_storage(graph_view g, extents const& e) {
  memory_plan m;
  for (int i = 0; i < g.size; ++i) {
    node const& x = g[i];
    storage s;
    s.stored = x.axes;
    if (x.kind == op::input || x.kind == op::param) s.region = storage::leaf;
    else if (!(x.axes & pair_bit) && x.kind != op::constant && x.kind != op::iota && x.kind != op::extent) {
      s.region = storage::arena;
      s.size = points(e, x.axes);
      s.offset = m.arena;
      m.arena += s.size;
      if (x.kind == op::attend) {
        s.state_size = 2 * points(e, x.axes & ~bit_of(x.aux));
        s.state_offset = m.arena;
        m.arena += s.state_size;
      }
    }
    m.of.push(s);
  }
  return m;
}

}  // namespace dyadic::testing
