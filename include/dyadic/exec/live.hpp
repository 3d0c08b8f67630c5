// Live expressions: `x * 2 + exp(y)` over tensors, outside any model. Their types carry the structure; nothing is computed before eval().
// Shape rules, element types and errors are those of the ops: an expression's type is what the op functions give for its operands.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/tensor/tensor.hpp"

namespace dyadic {

/// An operand of a live expression: a tensor's or view's elements. It shares a tensor's memory, so it may outlive the tensor.
template <class Axes, class T> class live_leaf;
/// F applied to operands. `f` holds what is not in the type (an offset, a probability).
template <class F, class... X> struct live;
/// A number in a live expression.
struct live_number { double value; };

namespace detail {
// Element types of tensors, as expressions see them: every real type is the engine's real number.
template <class T> struct element_tag;
template <> struct element_tag<float> { using type = f32; };
template <> struct element_tag<double> { using type = f32; };
template <> struct element_tag<std::int32_t> { using type = i32; };
template <> struct element_tag<bool> { using type = boolean; };
template <class T> using tag_of = typename element_tag<std::remove_const_t<T>>::type;

// The type an engine computes in: that of the real operands. void: there is none.
struct mixed;
template <class T> using real_of = std::conditional_t<std::is_floating_point_v<T>, T, void>;
template <class T, class U>
using joint_real = std::conditional_t<std::is_void_v<U> || std::is_same_v<T, U>, T, std::conditional_t<std::is_void_v<T>, U, mixed>>;
template <class... T> struct joint_reals { using type = void; };
template <class T, class... U> struct joint_reals<T, U...> { using type = joint_real<T, typename joint_reals<U...>::type>; };

template <class X> inline constexpr bool is_live = false;
template <class List, class T> inline constexpr bool is_live<live_leaf<List, T>> = true;
template <class F, class... X> inline constexpr bool is_live<live<F, X...>> = true;
template <class X> inline constexpr bool is_elements = false;
template <class List, class T> inline constexpr bool is_elements<tensor<List, T>> = true;
template <class List, class T> inline constexpr bool is_elements<view<List, T>> = true;
}  // namespace detail

/// A live expression, or a tensor or view, which becomes one.
template <class X> concept live_operand = detail::is_live<std::remove_cvref_t<X>> || detail::is_elements<std::remove_cvref_t<X>>;
/// The same or a number.
template <class X> concept live_or_number = live_operand<X> || std::is_arithmetic_v<std::remove_cvref_t<X>>;

template <class Axes, class T> class live_leaf {
 public:
  using traced = expr<Axes, detail::tag_of<T>>;
  using real = detail::real_of<T>;
  static constexpr int count = 1;
  explicit live_leaf(view<Axes, T const> const& v) : elements_(v) {}
  view<Axes, T const> const& elements() const { return elements_; }
  template <class Tracer> auto trace(Tracer& t) const { return t.leaf(elements_); }

 private:
  view<Axes, T const> elements_;
};

namespace detail {
inline constexpr int most_live_nodes = 64;
template <int Nodes> inline constexpr bool live_expression_has_at_most_64_nodes = Nodes <= most_live_nodes;

template <class X> struct operand_traits {
  using traced = typename X::traced;
  using real = typename X::real;
  static constexpr int count = X::count;
};
template <> struct operand_traits<live_number> { using traced = double; using real = void; static constexpr int count = 1; };

// Operands side by side, by number: no recursive tuple.
template <int K, class X> struct held { X x; };
template <class Is, class... X> struct held_all;
// A call whose arguments are computed from left to right (braces do that), so that graphs do not depend on the compiler.
template <class R> struct in_order {
  R value;
  template <class F, class... Y> explicit in_order(F const& f, Y... y) : value(f(y...)) {}
};
template <int... K, class... X> struct held_all<std::integer_sequence<int, K...>, X...> : held<K, X>... {
  explicit held_all(X const&... x) : held<K, X>{x}... {}
  template <class F, class Tracer> auto apply(F const& f, Tracer& t) const {
    using result = decltype(f(traced_of(part<K, X>(), t)...));
    return in_order<result>{f, traced_of(part<K, X>(), t)...}.value;
  }
  template <int P, class Y> Y const& part() const { return static_cast<held<P, Y> const&>(*this).x; }
  template <class Tracer> static double traced_of(live_number n, Tracer&) { return n.value; }
  template <class Y, class Tracer> static auto traced_of(Y const& y, Tracer& t) { return y.trace(t); }
};

template <class List, class T> live_leaf<List, T> as_live(tensor<List, T> const& x) { return live_leaf<List, T>(x.view()); }
template <class List, class T> live_leaf<List, std::remove_const_t<T>> as_live(view<List, T> const& x) {
  return live_leaf<List, std::remove_const_t<T>>(x);
}
template <class X> requires is_live<X> X const& as_live(X const& x) { return x; }
template <class X> requires std::is_arithmetic_v<X> live_number as_live(X x) { return {static_cast<double>(x)}; }
template <class X> using live_type = std::remove_cvref_t<decltype(as_live(std::declval<X const&>()))>;
}  // namespace detail

template <class F, class... X> struct live {
  using traced = decltype(std::declval<F const&>()(std::declval<typename detail::operand_traits<X>::traced>()...));
  using real = typename detail::joint_reals<typename detail::operand_traits<X>::real...>::type;
  static constexpr int count = (1 + ... + detail::operand_traits<X>::count);

  F f;
  detail::held_all<std::make_integer_sequence<int, sizeof...(X)>, X...> operands;
  explicit live(F const& function, X const&... x) : f(function), operands(x...) {}
  template <class Tracer> auto trace(Tracer& t) const { return operands.apply(f, t); }

  static_assert(detail::live_expression_has_at_most_64_nodes<count>,
                "a live expression of more than 64 nodes: evaluate a part of it first, or write a function: eval([](auto x) {...}, x)");
  static_assert(!std::is_same_v<real, detail::mixed>, "tensors of different element types, float and double, in one expression");
};

namespace detail {
template <class F, class... X> auto make_live(F const& f, X const&... x) { return live<F, live_type<X>...>(f, as_live(x)...); }
}  // namespace detail

/// Any function of expressions as one live operation: `apply([](auto x, auto y) { return softmax<seq>(x) * y; }, x, y)`.
template <class F, live_operand... X> auto apply(F const& f, X const&... x) { return detail::make_live(f, x...); }

}  // namespace dyadic
