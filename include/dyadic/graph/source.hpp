// What a model reads and what it returns.
#pragma once
#include "dyadic/expr/functions.hpp"

namespace dyadic {

/// Handed to a model's operator(): declares its inputs.
struct source {
  builder* b;
  /// A real-valued input over A..., row-major in that order.
  template <class... A> constexpr auto input(char const* name) const {
    return expr<axes<A...>>{b, add<A...>(name, leaf_role::input, dtype::f32, -1)};
  }
  /// An input of integers: positions of the axis Of (checked when it is bound), or -1 for "none".
  template <class Of, class... A> constexpr auto index(char const* name) const {
    return expr<axes<A...>, i32>{b, add<A...>(name, leaf_role::index, dtype::i32, axis_id<Of>(*b))};
  }
  /// An input of integers that name nothing: document numbers, restarted positions.
  template <class... A> constexpr auto integers(char const* name) const {
    return expr<axes<A...>, i32>{b, add<A...>(name, leaf_role::input, dtype::i32, -1)};
  }

 private:
  template <class... A> constexpr auto add(char const* name, leaf_role role, dtype type, int of) const {
    static_assert(axes_are_distinct<axes<A...>>, "an input names an axis twice");
    leaf l;
    l.name = name; l.role = role; l.of = static_cast<std::int8_t>(of);
    ((l.order[l.rank++] = static_cast<std::int8_t>(axis_id<A>(*b))), ...);
    l.node = static_cast<std::int16_t>(b->make(op::input, axis_bits(*b, axes<A...>{}), type));
    b->leaves.push(l);
    return l.node;
  }
};

template <class List, class T, class H> struct named_value { char const* name; expr<List, T, H> x; };
template <class List, class T, class H>
constexpr auto named(char const* name, expr<List, T, H> x) {
  return named_value<List, T, H>{name, x};
}

namespace detail {
template <class... A>
constexpr void list_axes(builder& b, output& o, axes<A...>) {
  ((o.order[o.rank++] = static_cast<std::int8_t>(axis_id<A>(b))), ...);
}
template <class List, class T, class H> constexpr void add_output(named_value<List, T, H> v, output_role role) {
  builder& b = *v.x.b;
  output o;
  o.node = static_cast<std::int16_t>(v.x.id); o.role = role; o.name = v.name;
  list_axes(b, o, List{});
  b.outputs.push(o);
}
}  // namespace detail

/// What a model returns: its results, by name. "logits" are what a decoder returns a token; "loss" what training differentiates.
struct traced_results { int count; };
/// Errors: a name given twice (output_named_twice).
template <class... V> constexpr traced_results results(V... v) {
  ((detail::check_output_name(*v.x.b, v.name, 0), detail::add_output(v, output_role::result)), ...);
  return {static_cast<int>(sizeof...(V))};
}
/// The results of a language model: logits over Vocabulary, and the cross-entropy of every token in nats; targets of -1 are not counted.
template <class Vocabulary, expression X, expression Y> constexpr auto language_model(X logits, Y targets, int line = __builtin_LINE()) {
  return results(named("logits", logits), named("loss", cross_entropy<Vocabulary>(logits, targets, line)));
}

}  // namespace dyadic
