// + - * / and comparisons of expressions, with each other and with numbers; ! && || of booleans.
#pragma once
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/ops/add.hpp"
#include "dyadic/expr/ops/div.hpp"
#include "dyadic/expr/ops/equal.hpp"
#include "dyadic/expr/ops/floor.hpp"
#include "dyadic/expr/ops/less.hpp"
#include "dyadic/expr/ops/less_equal.hpp"
#include "dyadic/expr/ops/maximum.hpp"
#include "dyadic/expr/ops/minimum.hpp"
#include "dyadic/expr/ops/mul.hpp"
#include "dyadic/expr/ops/neg.hpp"
#include "dyadic/expr/ops/sub.hpp"

namespace dyadic {

// Not constrained templates over any type: clang 14 looks at the signature of an operator before its constraint.

/// Element by element. One operand must have all the axes of the other; both one element type, which is not boolean.
/// A number takes the element type of the other side. Division of integers rounds down.
template <class List, class T, class H, class M, class U, class J> constexpr auto operator+(expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  return map_op<op::add>(x, y);
}
template <class List, class T, class H, class M, class U, class J> constexpr auto operator-(expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  return map_op<op::sub>(x, y);
}
template <class List, class T, class H, class M, class U, class J> constexpr auto operator*(expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  return map_op<op::mul>(x, y);
}
template <class List, class T, class H, class M, class U, class J> constexpr auto operator/(expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  if constexpr (dtype_is<T, i32>) return map_op<op::floor>(map_op<op::div>(x, y));
  else return map_op<op::div>(x, y);
}
/// The remainder, with the sign of y: x - y * floor(x / y).
template <class List, class T, class H, class M, class U, class J> constexpr auto operator%(expr<List, T, H> x, expr<M, U, J> y) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  return map_op<op::modulo>(x, y);
}
template <class List, class T, class H> constexpr auto operator-(expr<List, T, H> x) {
  static_assert(!dtype_is<T, boolean>, "a boolean has no arithmetic: cast it first");
  return map_op<op::neg>(x);
}
template <class List, class T, class H> constexpr auto operator+(expr<List, T, H> x, double y) { return x + number(x, y); }
template <class List, class T, class H> constexpr auto operator-(expr<List, T, H> x, double y) { return x - number(x, y); }
template <class List, class T, class H> constexpr auto operator*(expr<List, T, H> x, double y) { return x * number(x, y); }
template <class List, class T, class H> constexpr auto operator/(expr<List, T, H> x, double y) { return x / number(x, y); }
template <class List, class T, class H> constexpr auto operator%(expr<List, T, H> x, double y) { return x % number(x, y); }
template <class List, class T, class H> constexpr auto operator+(double x, expr<List, T, H> y) { return number(y, x) + y; }
template <class List, class T, class H> constexpr auto operator-(double x, expr<List, T, H> y) { return number(y, x) - y; }
template <class List, class T, class H> constexpr auto operator*(double x, expr<List, T, H> y) { return number(y, x) * y; }
template <class List, class T, class H> constexpr auto operator/(double x, expr<List, T, H> y) { return number(y, x) / y; }

/// Comparisons give booleans, element by element.
template <class List, class T, class H, class M, class U, class J>
constexpr auto operator<(expr<List, T, H> x, expr<M, U, J> y) {
  return map_op<op::less, boolean>(x, y);
}
template <class List, class T, class H, class M, class U, class J>
constexpr auto operator>(expr<List, T, H> x, expr<M, U, J> y) {
  return map_op<op::less, boolean>(y, x);
}
template <class List, class T, class H, class M, class U, class J>
constexpr auto operator<=(expr<List, T, H> x, expr<M, U, J> y) {
  return map_op<op::less_equal, boolean>(x, y);
}
template <class List, class T, class H, class M, class U, class J>
constexpr auto operator>=(expr<List, T, H> x, expr<M, U, J> y) {
  return map_op<op::less_equal, boolean>(y, x);
}
template <class List, class T, class H, class M, class U, class J>
constexpr auto operator==(expr<List, T, H> x, expr<M, U, J> y) {
  return map_op<op::equal, boolean>(x, y);
}
template <class List, class T, class H> constexpr auto operator<(expr<List, T, H> x, double y) { return x < number(x, y); }
template <class List, class T, class H> constexpr auto operator>(expr<List, T, H> x, double y) { return x > number(x, y); }
template <class List, class T, class H> constexpr auto operator<=(expr<List, T, H> x, double y) { return x <= number(x, y); }
template <class List, class T, class H> constexpr auto operator>=(expr<List, T, H> x, double y) { return x >= number(x, y); }
template <class List, class T, class H> constexpr auto operator==(expr<List, T, H> x, double y) { return x == number(x, y); }
template <class List, class T, class H> constexpr auto operator<(double x, expr<List, T, H> y) { return number(y, x) < y; }
template <class List, class T, class H> constexpr auto operator>(double x, expr<List, T, H> y) { return number(y, x) > y; }
template <class List, class T, class H> constexpr auto operator<=(double x, expr<List, T, H> y) { return number(y, x) <= y; }
template <class List, class T, class H> constexpr auto operator>=(double x, expr<List, T, H> y) { return number(y, x) >= y; }

/// Of booleans. Both sides of && and || are always evaluated.
template <class List, class H> constexpr auto operator!(expr<List, boolean, H> x) { return map_op<op::equal>(x, number(x, 0)); }
template <class List, class H, class M, class J> constexpr auto operator&&(expr<List, boolean, H> x, expr<M, boolean, J> y) {
  return map_op<op::minimum>(x, y);
}
template <class List, class H, class M, class J> constexpr auto operator||(expr<List, boolean, H> x, expr<M, boolean, J> y) {
  return map_op<op::maximum>(x, y);
}
template <class List, class T, class H, class M, class U, class J>
constexpr auto operator!=(expr<List, T, H> x, expr<M, U, J> y) {
  return !(x == y);
}
template <class List, class T, class H> constexpr auto operator!=(expr<List, T, H> x, double y) { return !(x == y); }

}  // namespace dyadic
