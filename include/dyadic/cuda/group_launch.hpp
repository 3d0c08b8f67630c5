// A group put on a stream: which of its kernels runs, with how many threads, and the end of its column sums.
#pragma once
#include <utility>

#include "dyadic/cuda/context.hpp"
#include "dyadic/cuda/group_kernel.hpp"
#include "dyadic/cuda/reduce_kernel.hpp"

namespace dyadic::cuda {

/// Rows longer than this are a block's, shorter ones a warp's.
inline constexpr std::int64_t longest_warp_row = 1024;
/// Shared memory that a block's column sums may take: what every device gives without being asked.
inline constexpr std::int64_t most_shared_sums = 32 * 1024;
/// Blocks that column sums are spread over, all kept rows together; and the fewest rows a block adds up.
inline constexpr std::int64_t most_sum_blocks = 1024, least_sum_rows = 16;

/// Puts the group whose code is c on the context's stream. Its scratch memory is asked for with `context.scratch == nullptr`.
template <class T> using group_launch = std::int64_t (*)(context<T> const&, group_code const&);

namespace detail {

/// Of a group's outer axes, those that some column sum keeps.
inline axis_set kept_axes(graph_view g, group_code const& c) {
  axis_set kept = 0;
  for (int i = 0; i < c.count; ++i) if (c.s[i].level == member_level::columns) kept |= g[c.node[i]].axes;
  return c.row < 0 ? axis_set{0} : kept & ~bit_of(c.row);
}

/// The end of a column sum: the blocks' sums of member m, over the chunks and the kept axes it lacks.
template <class T, int Streams>
void add_blocks(context<T> const& x, group_code const& c, group_arguments<T, Streams> const& a, int members, int m, int result) {
  reduce_arguments<T> r{};
  r.r = x.pointer(result);
  r.x = a.sums + m * a.length;
  std::int64_t by = a.chunks * members * a.length;
  std::int64_t strides[dyadic::max_axes]{};
  axis_set const kept = kept_axes(x.g, c);
  int order[dyadic::max_axes], n = 0;
  x.each_axis(kept, [&](int axis) { order[n++] = axis; });
  for (int k = n; k-- > 0; by *= x.e.of[order[k]]) strides[order[k]] = by;
  for (int k = 0; k < n; ++k) {
    int const axis = order[k];
    if (x.g[result].axes >> axis & 1) r.results.add(x.e.of[axis], {x.stride(result, axis), strides[axis]});
    else r.terms.add(x.e.of[axis], {strides[axis]});
  }
  r.terms.add(a.chunks, {members * a.length});
  r.results.add(a.length, {x.stride(result, c.row), 1});
  reduce<op::sum>(r, x.stream);
}

}  // namespace detail

template <class T, class Code> std::int64_t launch_group(context<T> const& x, group_code const& c) {
  using facts = detail::group_facts<Code>;
  constexpr int streams = facts::streams;
  group_arguments<T, streams> a{};
  int node_of[streams], s = 0, results[Code::count]{}, columns = 0;
  for (int i = 0; i < c.count; ++i) {
    if (c.s[i].level == member_level::columns) results[columns++] = c.node[i];
    if (c.s[i].stored) node_of[s++] = c.node[i];
  }
  for (int j = 0; j < c.operands; ++j) node_of[s++] = c.operand[j];
  for (int k = 0; k < streams; ++k) {
    a.p[k] = x.pointer(node_of[k]);
    a.row_stride[k] = x.stride(node_of[k], c.row);
  }
  a.length = x.length(c.row);
  axis_set const outer = c.row < 0 ? c.domain : c.domain & ~bit_of(c.row), kept = detail::kept_axes(x.g, c);
  auto add = [&](int axis) {
    std::int64_t by[streams];
    for (int k = 0; k < streams; ++k) by[k] = x.stride(node_of[k], axis);
    a.outer.add(x.e.of[axis], by);
  };
  x.each_axis(outer & kept, add);
  x.each_axis(outer & ~kept, add);
  a.rows = a.outer.size();
  a.kept = a.chunks = 1;

  if constexpr (facts::columns) {
    x.each_axis(outer & kept, [&](int axis) { a.kept *= x.e.of[axis]; });
    if (a.kept == 0 || a.length == 0) return 0;
    std::int64_t const rows = a.rows / a.kept, wanted = rows / least_sum_rows, most = most_sum_blocks / a.kept;
    a.chunks = wanted < most ? wanted : most;
    if (a.chunks < 1) a.chunks = 1;
    std::int64_t const own = facts::column_members * a.length, blocks = a.kept * a.chunks;
    if (!x.scratch) return blocks * own;
    a.sums = x.scratch;
    std::int64_t const bytes = own * static_cast<std::int64_t>(sizeof(T));
    a.in_shared = bytes <= most_shared_sums;
    auto const shared = static_cast<std::size_t>(a.in_shared ? bytes : 0);
    auto const grid = static_cast<unsigned>(blocks);
    if (a.length > warp_threads) group_rows<T, Code, block_threads><<<grid, dim3(block_threads, 1), shared, x.stream>>>(a);
    else group_rows<T, Code, warp_threads><<<grid, dim3(warp_threads, 1), shared, x.stream>>>(a);
    for (int m = 0; m < columns; ++m) detail::add_blocks(x, c, a, columns, m, results[m]);
    return 0;
  } else if constexpr (facts::reduces) {
    if (!x.scratch || a.rows == 0) return 0;
    if (a.length > longest_warp_row)
      group_rows<T, Code, block_threads><<<blocks_for(a.rows, 1), dim3(block_threads, 1), 0, x.stream>>>(a);
    else
      group_rows<T, Code, warp_threads>
          <<<blocks_for(a.rows, block_threads / warp_threads), dim3(warp_threads, block_threads / warp_threads), 0, x.stream>>>(a);
    return 0;
  } else {
    if (!x.scratch || a.rows == 0 || a.length == 0) return 0;
    bool flat = true;
    for (int k = 0; k < streams; ++k) {   // arrays one after another, or one number for all
      bool const number = k >= Code::results && c.of_row[k - Code::results];
      std::int64_t next = number ? 0 : a.length;
      flat = flat && (number ? true : a.row_stride[k] == 1 || a.length == 1);
      for (int d = a.outer.dims; d-- > 0;) {
        flat = flat && a.outer.stride[k][d] == next;
        next *= a.outer.n[d];
      }
    }
    if (flat) {
      a.length *= a.rows;
      group_flat<T, Code><<<blocks_for(a.length), block_threads, 0, x.stream>>>(a);
      return 0;
    }
    // Few rows: pieces of them.
    std::int64_t const blocks = (a.rows + 7) / 8, pieces = blocks >= 1024 ? 1 : (a.length + 4 * warp_threads - 1) / (4 * warp_threads);
    a.piece = (a.length + pieces - 1) / pieces;
    if (a.piece * 65535 < a.length) a.piece = (a.length + 65534) / 65535;
    dim3 const grid(blocks_for(a.rows, 8), static_cast<unsigned>((a.length + a.piece - 1) / a.piece));
    group_rows<T, Code, warp_threads><<<grid, dim3(warp_threads, 8), 0, x.stream>>>(a);
    return 0;
  }
}

namespace detail {
template <class T, class Fused, int Group, std::size_t... Word> constexpr group_launch<T> launch_of_group(std::index_sequence<Word...>) {
  return &launch_group<T, signature<Fused::codes.word[Fused::codes.begin[Group] + static_cast<int>(Word)]...>>;
}
template <class T, class Fused, std::size_t... Q> std::vector<group_launch<T>> launch_table(std::index_sequence<Q...>) {
  return {launch_of_group<T, Fused, static_cast<int>(Q)>(
      std::make_index_sequence<static_cast<std::size_t>(Fused::codes.begin[Q + 1] - Fused::codes.begin[Q])>())...};
}
}  // namespace detail

/// How the groups of a fused plan are put on a stream, by number. Fused: a plan among a program's constants (passes/fused.hpp).
template <class T, class Fused> std::vector<group_launch<T>> group_launches() {
  return detail::launch_table<T, Fused>(std::make_index_sequence<static_cast<std::size_t>(Fused::groups)>());
}

}  // namespace dyadic::cuda
