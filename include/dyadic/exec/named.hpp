// Inputs and results of a program by their names, and what may be put into them: the same for every engine.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "dyadic/axes/error.hpp"
#include "dyadic/exec/names.hpp"

namespace dyadic::detail {

/// The leaf of that name and role, or -1.
inline int find_leaf(graph_view g, std::string_view name, leaf_role role) {
  for (int k = 0; k < g.nleaves; ++k)
    if (g.leaves[k].role == role && g.leaves[k].name && name == g.leaves[k].name) return k;
  return -1;
}
/// The input or index of that name. Errors: there is none.
inline int input_leaf(graph_view g, std::string_view name) {
  int k = find_leaf(g, name, leaf_role::index);
  if (k < 0) k = find_leaf(g, name, leaf_role::input);
  if (k < 0) raise(error_kind::argument, message() << "the model has no input called " << std::string(name).c_str());
  return k;
}
/// Errors: another size than the leaf's, an index outside its axis (-1 is "none").
template <class V> void check_values(graph_view g, extents const& e, int k, std::size_t size, std::span<V const> values) {
  leaf const& l = g.leaves[k];
  if (values.size() != size)
    raise(error_kind::shape, message() << "input " << l.name << " has " << size << " elements, given " << values.size());
  if (l.role != leaf_role::index) return;
  std::int64_t const n = e.of[l.of];
  for (V v : values)
    if (!(static_cast<double>(v) >= -1 && static_cast<double>(v) < static_cast<double>(n)))
      raise(error_kind::index, (message() << "input " << l.name << ": index " << static_cast<std::int64_t>(v) << " is outside axis ")
                                   .add(g.axes[l.of].name, g.axes[l.of].name_size) << " of extent " << n);
}
/// The output of that name: a result, or a probe. Errors: there is none.
inline int output_called(graph_view g, std::string_view name) {
  for (output_role const role : {output_role::result, output_role::probe})
    for (int k = 0; k < g.noutputs; ++k)
      if (g.outputs[k].role == role && g.outputs[k].name && name == g.outputs[k].name) return k;
  raise(error_kind::argument, message() << "the model has no result called " << std::string(name).c_str());
}
/// The output that holds leaf k's gradient, or -1.
inline int gradient_of(graph_view g, int k) {
  for (int i = 0; i < g.noutputs; ++i)
    if (g.outputs[i].role == output_role::gradient && g.outputs[i].leaf == k) return i;
  return -1;
}

}  // namespace dyadic::detail
