// The tables beside the nodes: parameter names, leaves (parameters, inputs), results, index functions of trees.
#pragma once
#include <cstdint>

#include "dyadic/expr/node.hpp"

namespace dyadic {

/// One component of a parameter's name. `model.layers.3.mlp` is four of them; the third carries an index of a repeat axis.
struct path_part {
  std::int16_t parent = -1;
  std::int8_t axis = -1;        ///< the repeat axis whose index follows the text (through a `.`), or -1
  std::int32_t offset = 0;      ///< added to that index, so that two repeats can share one numbering
  char const* text = nullptr;   ///< "" for none
  constexpr bool operator==(path_part const&) const = default;
};

enum class leaf_role : std::uint8_t {
  parameter, input,             ///< named by the model
  index,                        ///< an input of integers: positions of the axis `of`, or -1 for none
  seed,                         ///< cotangent of the output `of` (an adjoint's input)
  active,                       ///< 1 where a row is new in a pass (made by the interleaved solver)
  child, root                   ///< tables of a tree: `of` is the tree, `which` the child
};

/// fan_in: normal, std = value / sqrt(length of the input axes).
enum class init_rule : std::uint8_t { zeros, constant, normal, uniform, fan_in };

struct leaf {
  std::int16_t node = -1;
  std::int16_t path = -1;       ///< a parameter's name; -1 for others
  char const* name = nullptr;   ///< an input's name
  leaf_role role = leaf_role::input;
  init_rule init = init_rule::zeros;
  std::int8_t of = -1, which = 0;
  std::int8_t rank = 0;
  std::int8_t order[8]{-1, -1, -1, -1, -1, -1, -1, -1};   ///< the axes as the user wrote them: the layout in files and spans
  std::int8_t index_axis = -1;  ///< a parameter's repeat axis (the leaf holds all its indices), or -1
  std::int8_t fan = 0;          ///< how many of the last axes are the input side of a weight: the columns in checkpoints
  double value = 0;
};

enum class output_role : std::uint8_t { result, probe, gradient };
struct output {
  std::int16_t node = -1;
  output_role role = output_role::result;
  std::int16_t leaf = -1;       ///< of a gradient: the leaf it belongs to
  char const* name = nullptr;   ///< "logits", "loss", a probe's name
  std::int8_t rank = 0;
  std::int8_t order[8]{-1, -1, -1, -1, -1, -1, -1, -1};
};

/// The shape of a tree over `leaves` leaves, as index tables: entry >= 0 names a merge, entry < 0 the leaf ~entry.
/// Merges are numbered by level (all of a level are independent) or by time (the leaf at whose arrival a merge can run).
struct tree_function {
  char const* name = nullptr;
  int arity = 2;
  std::int64_t (*merges)(std::int64_t leaves) = nullptr;
  /// child: arity tables of `merges` entries, one after another; root: `leaves` entries (the value read at each leaf);
  /// time, level: `merges` entries.
  void (*fill)(std::int64_t leaves, bool by_time, std::int32_t* child, std::int32_t* root, std::int32_t* time,
               std::int32_t* level) = nullptr;
  constexpr bool operator==(tree_function const&) const = default;
};

/// Read access to a graph, wherever it lives: in a builder or in a constexpr table. Arguments precede their readers in the numbering
/// of near edges, so one ascending sweep sees operands first.
struct graph_view {
  node const* nodes = nullptr;
  axis_info const* axes = nullptr;
  leaf const* leaves = nullptr;
  output const* outputs = nullptr;
  path_part const* paths = nullptr;
  tree_function const* trees = nullptr;
  int size = 0, naxes = 0, nleaves = 0, noutputs = 0, npaths = 0, ntrees = 0;
  constexpr node const& operator[](int i) const { return nodes[i]; }
};

}  // namespace dyadic
