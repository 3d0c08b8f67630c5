// A dense state along an axis: what is written at one position is read at the next. In the graph nothing but a far edge of distance one.
#pragma once
#include "dyadic/expr/functions/operators.hpp"
#include "dyadic/graph/scan.hpp"

namespace dyadic {

template <class S, class List, class T, class H> struct state {
  builder* b;
  std::int16_t slot;
  std::int16_t id;
};

/// A state along S whose value before the first position is `initial`. The initial value lacks S; it fixes the state's visible axes.
/// Inside a repeat there is one state per iteration.
template <class S, class List, class T, class H> constexpr auto carry(expr<List, T, H> initial, int line = __builtin_LINE()) {
  static_assert(axis_is_new_to<S, List>, "carry: the initial value has the scanned axis; it is read at the first position only");
  builder& b = *initial.b;
  int const s = axis_id<S>(b);
  if (b.axes[s].role == axis_role::plain) b.axes[s].role = axis_role::scan;
  node n;
  n.kind = op::prev; n.type = T::id; n.line = line; n.axis = static_cast<std::int8_t>(s); n.value = 1;
  n.nargs = 2; n.far[0] = 1; n.arg[1] = static_cast<std::int16_t>(initial.id);
  n.axes = b.shape(initial.id) | bit_of(s) | b.open;
  held_values h;
  h.kind = held_values::state; h.line = line;
  n.slot = static_cast<std::int16_t>(b.held.push(h));
  return state<S, List, T, join_axes<H, along<S>>>{&b, n.slot, static_cast<std::int16_t>(b.push(n))};
}

/// The value written one position earlier.
template <class S, class List, class T, class H> constexpr auto read(state<S, List, T, H> s) { return expr<List, T, H>{s.b, s.id}; }

template <class Written, class State> inline constexpr bool state_keeps_its_axes = axes_inside<Written, State>;

/// Sets the state for the next position. Once per state.
template <class S, class List, class T, class H, class M, class U, class J>
constexpr auto write(state<S, List, T, H> s, expr<M, U, J> x, int line = __builtin_LINE()) {
  static_assert(state_keeps_its_axes<M, List>, "write: the carry's initial value lacks an axis of the written value");
  static_assert(dtypes_agree<T, U>, "write: the carry's initial value has another element type");
  held_values& h = s.b->held[s.slot];
  if (h.key >= 0) s.b->fail(fault::state_written_twice, line);
  int id = state_keeps_its_axes<M, List> && dtypes_agree<T, U> ? x.id : s.id;   // after an error: a state that keeps its value
  axis_set const shape = s.b->shape(s.id);
  if (shape & ~s.b->shape(id)) id = s.b->make(op::spread, s.b->shape(id) | shape, T::id, 0, id);
  h.key = static_cast<std::int16_t>(id);
}

/// `value` where something was written before, `fallback` where nothing was: at the first position, and in a solver's first pass.
template <class S, class List, class T, class H, expression F, expression V>
constexpr auto read_or(state<S, List, T, H> s, F fallback, V value, int line = __builtin_LINE()) {
  auto seen = carry<S>(real(fallback, 0), line);
  write(seen, real(fallback, 1), line);
  (void)s;
  return select(0.5 < read(seen), value, fallback);
}

/// Running sum along A, the current position included.
template <class A, class List, class H> constexpr auto cumulative_sum(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "cumulative_sum: the value has no such axis");
  return scan<A>(x, [&](auto x_t) {
    auto total = carry<A>(zeros_like(x_t), line);
    auto next = read(total) + x_t;
    write(total, next, line);
    return next;
  });
}
/// Running maximum along A, the current position included.
template <class A, class List, class H> constexpr auto cumulative_max(expr<List, f32, H> x, int line = __builtin_LINE()) {
  static_assert(axis_is_in<A, List>, "cumulative_max: the value has no such axis");
  return scan<A>(x, [&](auto x_t) {
    auto most = carry<A>(full_like(x_t, -__builtin_huge_val()), line);
    auto next = maximum(read(most), x_t);
    write(most, next, line);
    return next;
  });
}

}  // namespace dyadic
