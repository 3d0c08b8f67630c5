// The ops on live expressions. Each builds a live node whose function calls the op of the same name on expressions.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/exec/live.hpp"
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/carry.hpp"

namespace dyadic {

namespace detail {
// Operators. They call map_op itself: an error in a shape should come with few calls between it and the user's line.
template <op Kind, class Out = void> struct live_op {
  template <class... X> constexpr auto operator()(X... x) const {
    static_assert(!std::is_void_v<Out> || (!dtype_is<typename X::element, boolean> && ...), "a boolean has no arithmetic: cast it first");
    if constexpr (Kind == op::div && (dtype_is<typename X::element, i32> && ...)) return map_op<op::floor>(map_op<op::div>(x...));
    else return map_op<Kind, Out>(x...);
  }
  template <expression X> constexpr auto operator()(X x, double y) const { return (*this)(x, number(x, y)); }
  template <expression Y> constexpr auto operator()(double x, Y y) const { return (*this)(number(y, x), y); }
};
template <class F, class... X> using live_of = live<F, live_type<X>...>;
template <class X, class Y> concept live_pair = live_or_number<X> && live_or_number<Y> && (live_operand<X> || live_operand<Y>);
using live_less = live_op<op::less, boolean>;
using live_less_equal = live_op<op::less_equal, boolean>;
using live_equal = live_op<op::equal, boolean>;
struct live_not_equal {
  template <class X, class Y> constexpr auto operator()(X x, Y y) const { return !live_equal{}(x, y); }
};
struct live_and { template <class X, class Y> constexpr auto operator()(X x, Y y) const { return x && y; } };
struct live_or { template <class X, class Y> constexpr auto operator()(X x, Y y) const { return x || y; } };
struct live_not { template <class X> constexpr auto operator()(X x) const { return !x; } };
}  // namespace detail

template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_op<op::add>, X, Y> operator+(X const& x, Y const& y) {
  return detail::make_live(detail::live_op<op::add>{}, x, y);
}
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_op<op::sub>, X, Y> operator-(X const& x, Y const& y) {
  return detail::make_live(detail::live_op<op::sub>{}, x, y);
}
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_op<op::mul>, X, Y> operator*(X const& x, Y const& y) {
  return detail::make_live(detail::live_op<op::mul>{}, x, y);
}
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_op<op::div>, X, Y> operator/(X const& x, Y const& y) {
  return detail::make_live(detail::live_op<op::div>{}, x, y);
}
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_less, X, Y> operator<(X const& x, Y const& y) { return detail::make_live(detail::live_less{}, x, y); }
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_less, Y, X> operator>(X const& x, Y const& y) { return detail::make_live(detail::live_less{}, y, x); }
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_less_equal, X, Y> operator<=(X const& x, Y const& y) {
  return detail::make_live(detail::live_less_equal{}, x, y);
}
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_less_equal, Y, X> operator>=(X const& x, Y const& y) {
  return detail::make_live(detail::live_less_equal{}, y, x);
}
/// Elementwise, as the other comparisons: a boolean expression, not a bool.
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_equal, X, Y> operator==(X const& x, Y const& y) { return detail::make_live(detail::live_equal{}, x, y); }
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_not_equal, X, Y> operator!=(X const& x, Y const& y) {
  return detail::make_live(detail::live_not_equal{}, x, y);
}
/// The remainder, with the sign of y.
template <class X, class Y> requires detail::live_pair<X, Y>
detail::live_of<detail::live_op<op::modulo>, X, Y> operator%(X const& x, Y const& y) {
  return detail::make_live(detail::live_op<op::modulo>{}, x, y);
}
/// Of booleans. Both sides of && and || are always evaluated.
template <live_operand X, live_operand Y> detail::live_of<detail::live_and, X, Y> operator&&(X const& x, Y const& y) {
  return detail::make_live(detail::live_and{}, x, y);
}
template <live_operand X, live_operand Y> detail::live_of<detail::live_or, X, Y> operator||(X const& x, Y const& y) {
  return detail::make_live(detail::live_or{}, x, y);
}
template <live_operand X> detail::live_of<detail::live_not, X> operator!(X const& x) { return detail::make_live(detail::live_not{}, x); }
template <live_operand X> detail::live_of<detail::live_op<op::neg>, X> operator-(X const& x) {
  return detail::make_live(detail::live_op<op::neg>{}, x);
}

// One operand.
#define DYADIC_LIVE_MAP(name)                                                                                            \
  namespace detail { struct live_##name { template <class X> constexpr auto operator()(X x) const { return name(x); } }; } \
  template <live_operand X> detail::live_of<detail::live_##name, X> name(X const& x) { return detail::make_live(detail::live_##name{}, x); }
DYADIC_LIVE_MAP(exp)
DYADIC_LIVE_MAP(log)
DYADIC_LIVE_MAP(sqrt)
DYADIC_LIVE_MAP(rsqrt)
DYADIC_LIVE_MAP(reciprocal)
DYADIC_LIVE_MAP(tanh)
DYADIC_LIVE_MAP(sigmoid)
DYADIC_LIVE_MAP(silu)
DYADIC_LIVE_MAP(gelu)
DYADIC_LIVE_MAP(gelu_tanh)
DYADIC_LIVE_MAP(relu)
DYADIC_LIVE_MAP(squared_relu)
DYADIC_LIVE_MAP(softplus)
DYADIC_LIVE_MAP(sin)
DYADIC_LIVE_MAP(cos)
DYADIC_LIVE_MAP(erf)
DYADIC_LIVE_MAP(abs)
DYADIC_LIVE_MAP(sign)
DYADIC_LIVE_MAP(floor)
#undef DYADIC_LIVE_MAP

// Two operands, one of which may be a number.
#define DYADIC_LIVE_BINARY(name)                                                                                            \
  namespace detail {                                                                                                        \
  struct live_##name { template <class X, class Y> constexpr auto operator()(X x, Y y) const { return name(x, y); } };      \
  }                                                                                                                         \
  template <class X, class Y> requires detail::live_pair<X, Y>                                                              \
  detail::live_of<detail::live_##name, X, Y> name(X const& x, Y const& y) { return detail::make_live(detail::live_##name{}, x, y); }
DYADIC_LIVE_BINARY(minimum)
DYADIC_LIVE_BINARY(maximum)
DYADIC_LIVE_BINARY(power)
DYADIC_LIVE_BINARY(modulo)
#undef DYADIC_LIVE_BINARY

// select(condition, x, y), clamp(x, lo, hi); numbers may stand for all but the first.
#define DYADIC_LIVE_TERNARY(name)                                                                                               \
  namespace detail {                                                                                                            \
  struct live_##name { template <class X, class Y, class Z> constexpr auto operator()(X x, Y y, Z z) const { return name(x, y, z); } }; \
  }                                                                                                                             \
  template <live_operand X, live_or_number Y, live_or_number Z>                                                                 \
  detail::live_of<detail::live_##name, X, Y, Z> name(X const& x, Y const& y, Z const& z) {                                      \
    return detail::make_live(detail::live_##name{}, x, y, z);                                                                   \
  }
DYADIC_LIVE_TERNARY(select)
DYADIC_LIVE_TERNARY(clamp)
#undef DYADIC_LIVE_TERNARY

// Along named axes. The names stand in parentheses because of macros called max and min.
#define DYADIC_LIVE_ROWS(name)                                                                                                   \
  namespace detail {                                                                                                             \
  template <class... A> struct live_##name { template <class X> constexpr auto operator()(X x) const { return name<A...>(x); } }; \
  }                                                                                                                              \
  template <class... A, live_operand X> detail::live_of<detail::live_##name<A...>, X>(name)(X const& x) {                        \
    return detail::make_live(detail::live_##name<A...>{}, x);                                                                    \
  }
DYADIC_LIVE_ROWS(sum)
DYADIC_LIVE_ROWS(mean)
DYADIC_LIVE_ROWS(max)
DYADIC_LIVE_ROWS(min)
DYADIC_LIVE_ROWS(variance)
#undef DYADIC_LIVE_ROWS

#define DYADIC_LIVE_ALONG(name)                                                                                             \
  namespace detail {                                                                                                        \
  template <class A> struct live_##name { template <class X> constexpr auto operator()(X x) const { return name<A>(x); } }; \
  }                                                                                                                         \
  template <class A, live_operand X> detail::live_of<detail::live_##name<A>, X> name(X const& x) {                          \
    return detail::make_live(detail::live_##name<A>{}, x);                                                                  \
  }
DYADIC_LIVE_ALONG(argmax)
DYADIC_LIVE_ALONG(logsumexp)
DYADIC_LIVE_ALONG(softmax)
DYADIC_LIVE_ALONG(cumulative_sum)
DYADIC_LIVE_ALONG(cumulative_max)
DYADIC_LIVE_ALONG(cast)   // here A is an element type: f32 (the tensors' real type), i32, boolean
#undef DYADIC_LIVE_ALONG

// Sums of products, and reading by index.
namespace detail {
template <class... A> struct live_contract {
  template <class X, class Y> constexpr auto operator()(X x, Y y) const { return contract<A...>(x, y); }
};
template <class A> struct live_gather { template <class X, class Y> constexpr auto operator()(X x, Y y) const { return gather<A>(x, y); } };
struct live_outer { template <class X, class Y> constexpr auto operator()(X x, Y y) const { return outer(x, y); } };
}  // namespace detail
/// The sum of x * y over A...
template <class... A, live_operand X, live_operand Y> detail::live_of<detail::live_contract<A...>, X, Y> contract(X const& x, Y const& y) {
  return detail::make_live(detail::live_contract<A...>{}, x, y);
}
/// table[A = index]; the index is a tensor of std::int32_t.
template <class A, live_operand X, live_operand Y> detail::live_of<detail::live_gather<A>, X, Y> gather(X const& table, Y const& index) {
  return detail::make_live(detail::live_gather<A>{}, table, index);
}
/// x * y over the axes of both.
template <live_operand X, live_operand Y> detail::live_of<detail::live_outer, X, Y> outer(X const& x, Y const& y) {
  return detail::make_live(detail::live_outer{}, x, y);
}

// Views with a parameter that is not in the type.
namespace detail {
template <class From, class To> struct live_rename {
  template <class X> constexpr auto operator()(X x) const { return rename<From, To>(x); }
};
template <class From, class To> struct live_slice {
  int offset;
  template <class X> constexpr auto operator()(X x) const { return slice<From, To>(x, offset); }
};
template <class From, class Outer, class Inner> struct live_split {
  template <class X> constexpr auto operator()(X x) const { return split<From, Outer, Inner>(x); }
};
template <class Outer, class Inner, class To> struct live_merge {
  template <class X> constexpr auto operator()(X x) const { return merge<Outer, Inner, To>(x); }
};
template <class A, class B, class To> struct live_concatenate {
  template <class X, class Y> constexpr auto operator()(X x, Y y) const { return concatenate<A, B, To>(x, y); }
};
template <class Vocab> struct live_cross_entropy {
  template <class X, class Y> constexpr auto operator()(X x, Y y) const { return cross_entropy<Vocab>(x, y); }
};
template <class Dim, class Pairing> struct live_rope {
  rope_options options;
  template <class X, class Y> constexpr auto operator()(X x, Y y) const { return rope<Dim, Pairing>(x, y, options); }
};
template <class A> struct live_pick {
  int position;
  template <class X> constexpr auto operator()(X x) const { return pick<A>(x, position); }
};
template <class A> struct live_shift {
  int distance;
  template <class X> constexpr auto operator()(X x) const { return shift<A>(x, distance); }
};
}  // namespace detail
template <class From, class To, live_operand X> detail::live_of<detail::live_rename<From, To>, X> rename(X const& x) {
  return detail::make_live(detail::live_rename<From, To>{}, x);
}
/// To's extent is static or bound in eval: `eval(slice<seq, piece>(x, 2), piece{3})`.
template <class From, class To, live_operand X> detail::live_of<detail::live_slice<From, To>, X> slice(X const& x, int offset) {
  return detail::make_live(detail::live_slice<From, To>{offset}, x);
}
/// From as rows of Inner, whose extent is static or bound in eval; as many rows as it takes, the last one filled with 0.
template <class From, class Outer, class Inner, live_operand X>
detail::live_of<detail::live_split<From, Outer, Inner>, X> split(X const& x) {
  return detail::make_live(detail::live_split<From, Outer, Inner>{}, x);
}
/// The rows of Outer and Inner one after the other. To's extent is static or bound in eval, as that of concatenate is.
template <class Outer, class Inner, class To, live_operand X> detail::live_of<detail::live_merge<Outer, Inner, To>, X> merge(X const& x) {
  return detail::make_live(detail::live_merge<Outer, Inner, To>{}, x);
}
/// x along A, then y along B, as one axis To.
template <class A, class B, class To, live_operand X, live_operand Y>
detail::live_of<detail::live_concatenate<A, B, To>, X, Y> concatenate(X const& x, Y const& y) {
  return detail::make_live(detail::live_concatenate<A, B, To>{}, x, y);
}
/// -log softmax(logits)[target], one loss per row; a negative target is not counted.
template <class Vocab, live_operand X, live_operand Y>
detail::live_of<detail::live_cross_entropy<Vocab>, X, Y> cross_entropy(X const& logits, Y const& targets) {
  return detail::make_live(detail::live_cross_entropy<Vocab>{}, logits, targets);
}
/// Pairs of elements along Dim turned by their position's angle.
template <class Dim, class Pairing = half_split, live_operand X, live_operand Y>
detail::live_of<detail::live_rope<Dim, Pairing>, X, Y> rope(X const& x, Y const& positions, rope_options options = {}) {
  return detail::make_live(detail::live_rope<Dim, Pairing>{options}, x, positions);
}
/// One position; negative ones count from the end.
template <class A, live_operand X> detail::live_of<detail::live_pick<A>, X> pick(X const& x, int position) {
  return detail::make_live(detail::live_pick<A>{position}, x);
}
/// r[t] = x[t - n], 0 where there is none.
template <class A, live_operand X> detail::live_of<detail::live_shift<A>, X> shift(X const& x, int n) {
  return detail::make_live(detail::live_shift<A>{n}, x);
}

}  // namespace dyadic
