// A bound program on the device, as its statements see it when they are put on a stream.
#pragma once
#include <vector>

#include "dyadic/cuda/loops.hpp"
#include "dyadic/cuda/status.hpp"
#include "dyadic/plan/layout.hpp"

namespace dyadic::cuda {

/// Keys of the random nodes, on the device.
struct random_keys {
  std::uint64_t seed = 0, step = 0;
  std::int32_t training = 0;
};

template <class T> struct context {
  graph_view g;
  extents e;
  std::vector<placement> where;
  std::vector<T*> bases;             ///< by base_index; on the device
  T* scratch = nullptr;              ///< of partial sums, used by one statement at a time
  std::int64_t scratch_size = 0;
  random_keys const* random = nullptr;
  cudaStream_t stream = nullptr;

  placement const& place(int i) const { return where[static_cast<std::size_t>(i)]; }
  T* pointer(int i) const { return bases[static_cast<std::size_t>(place(i).base)] + place(i).offset; }
  std::int64_t stride(int i, int axis) const { return i < 0 || axis < 0 ? 0 : place(i).stride[axis]; }
  std::int64_t length(int axis) const { return axis < 0 ? 1 : e.of[axis]; }

  /// Calls f(axis) for the axes of a set, outermost first in the order of the layout.
  template <class F> void each_axis(axis_set set, F&& f) const {
    for (int rank = 0; rank < layout_ranks; ++rank)
      for (int a = 0; a < g.naxes; ++a) if ((set >> a & 1) && layout_rank(g.axes[a].role) == rank) f(a);
  }
  /// Loops over a set of axes with the strides of some nodes (-1: none).
  template <class... Node> loops<static_cast<int>(sizeof...(Node))> over(axis_set set, Node... nodes) const {
    loops<static_cast<int>(sizeof...(Node))> l;
    each_axis(set, [&](int a) { l.add(e.of[a], {stride(nodes, a)...}); });
    return l;
  }
};

}  // namespace dyadic::cuda
