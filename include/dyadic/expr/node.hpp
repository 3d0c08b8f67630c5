// A node of the graph: a value at every point of its axes. A few small integers; what they mean is said by the op's file.
#pragma once
#include <cstdint>

#include "dyadic/expr/dtype.hpp"
#include "dyadic/expr/op_list.hpp"

namespace dyadic {

/// A set of axes, by their number in the graph's table; also a node's shape. A shape has no order.
using axis_set = std::uint32_t;
inline constexpr int max_axes = 30;
/// Nodes with this bit depend on a (query, key) pair: never stored, evaluated inside the fold that reads them.
inline constexpr axis_set pair_bit = axis_set{1} << 31;
constexpr axis_set bit_of(int axis) { return axis_set{1} << axis; }

inline constexpr int max_args = 8;

struct node {
  op kind{};
  dtype type = dtype::f32;
  std::int8_t nargs = 0;
  std::int8_t axis = -1;            ///< the axis of the far edges, or the one the op works along
  std::int8_t aux = -1, inner = -1; ///< further axes of the op (contracted axis of a fold, parts of a split)
  bool distinct = false;            ///< never shared by hash-consing: a copy made to be recomputed
  std::int8_t far[max_args]{};      ///< 0: the operand at the same position; +1: strictly earlier along `axis`; -1: strictly later
  std::int16_t arg[max_args]{-1, -1, -1, -1, -1, -1, -1, -1};
  std::int16_t slot = -1;           ///< which memory, state, parameter path or random stream
  std::int32_t line = 0;            ///< the user's source line, where the op can lose an axis
  axis_set axes = 0;
  double value = 0;                 ///< the op's immediate

  constexpr bool same(node const& y) const {
    if (kind != y.kind || type != y.type || nargs != y.nargs || axis != y.axis || aux != y.aux || inner != y.inner) return false;
    if (slot != y.slot || axes != y.axes || !(value == y.value) || distinct || y.distinct) return false;
    for (int i = 0; i < nargs; ++i)
      if (arg[i] != y.arg[i] || far[i] != y.far[i]) return false;
    return true;
  }
};

/// How an axis came to be, and where its extent comes from when it is not bound by the user.
/// batch: independent rows, an axis of inputs that no parameter has.
enum class axis_role : std::uint8_t { plain, scan, repeat, pass, merges, batch };
enum class extent_rule : std::uint8_t { bound, same_as, quotient, tree };

struct axis_info {
  std::uint64_t key = 0;
  char const* name = nullptr;
  std::int16_t name_size = 0;
  axis_role role = axis_role::plain;
  extent_rule rule = extent_rule::bound;
  std::int8_t from = -1, by = -1;   ///< same_as: from; quotient: ceil(from / by); tree: merges of a tree over `from`
  std::int16_t tree = -1;           ///< which index function
  std::int64_t extent = -1;         ///< -1: bound at run time
};

}  // namespace dyadic
