// Memories of keys and values, and attention over what earlier positions stored. Handles live while tracing; far edges remain.
#pragma once
#include <limits>

#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/repeat.hpp"

namespace dyadic {

/// A key and a value; D is the axis that <query, key> contracts and that the value is read along.
template <class D, class K, class V> struct key_value { K key; V value; };
/// pair<head_dim>(k, v).
template <class D, expression K, expression V> constexpr auto pair(K k, V v) {
  static_assert(axis_is_in<D, typename K::shape>, "pair: the key has no such axis");
  static_assert(axis_is_in<D, typename V::shape>, "pair: the value has no such axis");
  return key_value<D, K, V>{k, v};
}
/// Attend to stored pairs only. The argument says what the stored pairs look like.
template <class P> struct no_self { P like; };
template <class D, class K, class V> constexpr auto without_self(key_value<D, K, V> like) { return no_self<key_value<D, K, V>>{like}; }

template <class S> struct memory { builder* b; std::int16_t slot; };

/// A memory along S: `remember<seq>(x)` for tokens, `remember<layer>(x)` for depth. x says which graph. A memory that is appended to
/// inside a repeat holds one sequence per iteration.
template <class S, expression X> constexpr auto remember(X x, int line = __builtin_LINE()) {
  builder& b = *x.b;
  int const s = axis_id<S>(b);
  if (b.axes[s].role == axis_role::plain) b.axes[s].role = axis_role::scan;
  held_values h;
  h.kind = held_values::memory; h.line = line;
  return memory<S>{&b, static_cast<std::int16_t>(b.held.push(h))};
}

namespace detail {
template <class S, class X> constexpr int kept(memory<S> m, X x, int when, int line) {
  builder& b = *m.b;
  int const s = axis_id<S>(b);
  axis_set const shape = b.shape(x.id) | bit_of(s);
  int const id = shape == b.shape(x.id) ? x.id : b.make(op::spread, shape, dtype::f32, 0, x.id);
  if (when < 0) return id;
  node n;
  n.kind = op::keep; n.axis = static_cast<std::int8_t>(s); n.axes = shape; n.line = line; n.nargs = 2;
  n.arg[0] = static_cast<std::int16_t>(id);
  n.arg[1] = static_cast<std::int16_t>(when);
  return b.push(n);
}
template <class S, class D, class K, class V> constexpr void store(memory<S> m, key_value<D, K, V> kv, int when, int line) {
  held_values& h = m.b->held[m.slot];
  if (h.key >= 0) { m.b->fail(fault::memory_appended_twice, line); return; }
  int const key = kept(m, kv.key, when, line), value = kept(m, kv.value, when, line);
  held_values& now = m.b->held[m.slot];
  now.key = static_cast<std::int16_t>(key);
  now.value = static_cast<std::int16_t>(value);
  now.when = static_cast<std::int16_t>(when);
}
}  // namespace detail

/// Stores this position's pair. Once per memory; before or after it is read.
template <class S, class D, class K, class V> constexpr void append(memory<S> m, key_value<D, K, V> kv, int line = __builtin_LINE()) {
  detail::store(m, kv, -1, line);
}
/// Stores it only where `when` holds, a boolean per position of S: positions elsewhere are never read. Where `when` follows from positions
/// alone (`position<layer>(x) % 2 == 0`) a memory plan can leave them out (memory_request::compact_keeps; the plain engine does not).
template <class S, class D, class K, class V, class List, class H>
constexpr void append(memory<S> m, key_value<D, K, V> kv, expr<List, boolean, H> when, int line = __builtin_LINE()) {
  static_assert(same_axes<List, axes<>>, "append: the condition is one boolean per position");
  detail::store(m, kv, when.id, line);
}

/// The mark of expressions inside a score.
struct scored;

/// What a score sees of a (query, key) pair. Scores are traced twice: for stored pairs, and for the self pair.
struct stored_pair {
  builder* b;
  std::int8_t axis;
  template <class List, class T, class H> constexpr auto far(expr<List, T, H> x) const {
    node n;
    n.kind = op::at_key; n.type = T::id; n.axis = axis; n.nargs = 1; n.far[0] = 1;
    n.arg[0] = static_cast<std::int16_t>(x.id);
    n.axes = b->shape(x.id) | pair_bit;
    return expr<List, T, join_axes<H, along<scored>>>{b, b->push(n)};
  }
  /// Query position - key position along the memory's axis (0 for the self pair).
  constexpr auto distance() const {
    node n;
    n.kind = op::distance; n.axis = axis; n.axes = pair_bit;
    return expr<axes<>, f32, along<scored>>{b, b->push(n)};
  }
  /// x at the key's position (for the self pair: x).
  template <expression X> constexpr auto key(X x) const { return far(x); }
  /// x at the key's position, as a property of what is stored: `otherwise` for the self pair, which is not.
  template <expression X> constexpr auto stored(X x, double /*otherwise*/ = 0) const { return far(x); }
};
struct self_pair {
  builder* b;
  constexpr auto distance() const { return expr<axes<>, f32, along<scored>>{b, b->constant(0)}; }
  template <class List, class T, class H>
  constexpr auto key(expr<List, T, H> x) const {
    return expr<List, T, join_axes<H, along<scored>>>{b, x.id};
  }
  template <class List, class T, class H> constexpr auto stored(expr<List, T, H> x, double otherwise = 0) const {
    return expr<List, T, join_axes<H, along<scored>>>{b, b->make(op::constant, b->shape(x.id), T::id, otherwise)};
  }
};
/// The score of a pair that is not attended to: `select(p.distance() < 5, s, never(s))`.
template <expression X> constexpr auto never(X x) { return real(x, -std::numeric_limits<double>::infinity()); }
/// The score as it is.
struct plain_score { template <class X, class P> constexpr X operator()(X s, P) const { return s; } };

template <class F, class X, class P> inline constexpr bool score_takes_a_score_and_a_pair = std::is_invocable_v<F const&, X, P>;

namespace detail {
template <class D, class S, class List, class H, class K, class V, class F>
constexpr auto attend_over(memory<S> m, expr<List, f32, H> q, key_value<D, K, V> kv, bool self, F const& score, int line) {
  static_assert(axis_is_in<D, List>, "attend: the query has no such axis");
  builder& b = *m.b;
  using all = join_axes<join_axes<List, typename K::shape>, typename V::shape>;
  using row = drop_axes<join_axes<List, typename K::shape>, axes<D>>;
  using inside = join_axes<join_axes<H, joint_hidden<K, V>>, along<S>>;
  using pair_score = expr<row, f32, join_axes<inside, along<scored>>>;
  std::int8_t const s = static_cast<std::int8_t>(axis_id<S>(b)), d = static_cast<std::int8_t>(axis_id<D>(b));
  axis_set const rows = (b.shape(q.id) | b.shape(kv.key.id)) & ~bit_of(d);

  static_assert(score_takes_a_score_and_a_pair<F, pair_score, stored_pair>,
                "attend: a score is called with the raw score and the pair: [](auto s, auto p)");
  if constexpr (score_takes_a_score_and_a_pair<F, pair_score, stored_pair>) {
    node n;
    n.kind = op::attend; n.axis = s; n.aux = d; n.line = line; n.nargs = 6;
    n.arg[0] = static_cast<std::int16_t>(q.id);
    n.axes = b.shape(q.id) | b.shape(kv.value.id) | rows | bit_of(s);
    if (self) {
      int const raw = b.make(op::contract, rows, dtype::f32, 0, q.id, kv.key.id);
      auto at_self = score(pair_score{m.b, raw}, self_pair{m.b});
      static_assert(axes_inside<typename decltype(at_self)::shape, row>, "attend: the score gained an axis");
      n.arg[1] = static_cast<std::int16_t>(at_self.id);
      n.arg[2] = static_cast<std::int16_t>(kv.value.id);
      n.axes |= b.shape(at_self.id);
    }
    auto at_pair = score(pair_score{m.b, b.make(op::score, rows | pair_bit)}, stored_pair{m.b, s});
    // Whether a position was stored is known when the memory is appended to; until then the condition is an open far edge.
    node stored;
    stored.kind = op::at_key;
    stored.type = dtype::boolean;
    stored.axis = s;
    stored.nargs = 1;
    stored.far[0] = 1;
    stored.slot = m.slot;
    stored.axes = bit_of(s) | pair_bit;
    int const when = b.push(stored);
    int const masked = b.make(op::select, b.shape(at_pair.id) | b.shape(when) | pair_bit, dtype::f32, 0, when, at_pair.id,
                              b.constant(-std::numeric_limits<double>::infinity()));
    n.arg[5] = static_cast<std::int16_t>(masked);
    n.axes |= b.shape(masked) & ~pair_bit;
    n.far[3] = n.far[4] = 1;
    n.slot = m.slot;
    return expr<all, f32, inside>{m.b, b.push(n)};
  } else {
    return expr<all, f32, inside>{m.b, q.id};
  }
}
}  // namespace detail

/// attend(memory, q, self): softmax(score(<q, k_s>))-weighted sum of v_s over the earlier positions s that were stored, and `self`, this
/// position's own pair. Axes that q has and the keys lack (a group of query heads) share keys. The result's axes: q's, k's and v's.
template <class S, class List, class H, class D, class K, class V, class F = plain_score>
constexpr auto attend(memory<S> m, expr<List, f32, H> q, key_value<D, K, V> self, F const& score = {}, int line = __builtin_LINE()) {
  return detail::attend_over(m, q, self, true, score, line);
}
/// attend(memory, q, without_self(pair)): stored pairs alone; 0 where there is none.
template <class S, class List, class H, class D, class K, class V, class F = plain_score>
constexpr auto attend(memory<S> m, expr<List, f32, H> q, no_self<key_value<D, K, V>> shape, F const& score = {},
                      int line = __builtin_LINE()) {
  return detail::attend_over(m, q, shape.like, false, score, line);
}

/// scan and repeat with a memory: `repeat<layer>(x, remember<layer>(x), [](auto h, auto depth) {...})`.
template <class S, class List, class T, class H, class M, class F>
constexpr auto repeat(expr<List, T, H> x, memory<M> m, F&& block, int line = __builtin_LINE()) {
  return repeat<S>(x, [&](auto h) { return block(h, m); }, line);
}

}  // namespace dyadic
