// The traits every op declares in its file. Passes and engines look them up in op_table.hpp; none names an op that has no need of it.
#pragma once
#include "dyadic/expr/gradient.hpp"
#include "dyadic/expr/math.hpp"

namespace dyadic {

enum class op_class : std::uint8_t {
  leaf,      ///< no operands
  map,       ///< pointwise, operands repeated over the axes they lack; `apply` is its scalar function, for DYADIC_DEVICE
  row,       ///< reads whole rows of its operand along some axes
  contract,  ///< sum of products
  view,      ///< moves elements without arithmetic
  indexed,   ///< reads or adds at positions an index operand gives
  far,       ///< reads its operand at other positions of a recurrence
  pair,      ///< depends on a (query, key) pair; only inside folds
  fold       ///< accumulates over the earlier or later positions of an axis
};

template <op> struct op_info;

/// Defaults. An op's traits derive from this, or from map_op_info.
struct op_defaults {
  static constexpr op_class kind = op_class::row;
  static constexpr int arity = 1;
  static constexpr double flops = 1;              ///< per element of the result; rows: per element of the operand
  static constexpr bool random = false;
  static constexpr bool differentiable = true;    ///< false: a path to something wanted through it is an error
  /// Does the value at one position of `axis` depend on the operand at other positions (other than through far edges)?
  static constexpr bool crosses(node const&, int /*axis*/) { return false; }
  /// Is the result zero wherever operand k is zero? (for `rows`)
  static constexpr bool zero_through(node const&, int /*operand*/) { return false; }
  /// Adds the operands' cotangents, given node i's cotangent d.
  static constexpr void adjoint(gradient&, int /*i*/, int /*d*/) {}
  /// Before the sweep: nodes for far operands, whose own operands are linked in `adjoint`.
  static constexpr void open(gradient&, int /*i*/) {}
};
template <int Arity> struct map_op_info : op_defaults {
  static constexpr op_class kind = op_class::map;
  static constexpr int arity = Arity;
};
struct leaf_op_info : op_defaults {
  static constexpr op_class kind = op_class::leaf;
  static constexpr int arity = 0;
  static constexpr double flops = 0;
};

}  // namespace dyadic
