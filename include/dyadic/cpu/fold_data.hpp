// One fold as its kernels see it: operands, outer axes, the sizes of its blocks, and the scratch memory of a worker.
#pragma once
#include "dyadic/cpu/fold_bounds.hpp"
#include "dyadic/cpu/gemm.hpp"

namespace dyadic::cpu {

/// One fold, ready to go. Its operands stand at the loops' positions of every axis but the folded one and the contracted one. The near side
/// is the result's: queries of attend, dq and dscore_query, keys of the others.
template <class T> struct fold_data {
  enum slot { result, query, key, value, lse, da, delta, self_score, self_value, maximum, total, first_leaf };
  static constexpr int max_operands = 24, max_outer = 10;
  struct operand {
    bool present = false, of_key = false;
    address of;
    along row;                   ///< the folded axis
    std::int64_t depth = 0;      ///< stride of the contracted axis
  };
  // of_result: the result has the axis; its stride does not tell, where the result has no elements.
  struct outer { std::int64_t n = 1; std::int8_t axis = -1; bool of_result = true; std::int64_t stride[max_operands]{}; };
  op kind{};
  int node = -1, axis = -1;
  std::int64_t depth = 1;        ///< extent of the contracted axis
  std::int64_t near_block = 1, far_block = 1;   ///< rows that a worker holds of either side
  bool near_is_query = true, keys_earlier = true, tileable = false, active_queries = false;
  bool tiled = false;            ///< while its loop runs: sums arrive by tiles
  operand x[max_operands];
  int count = first_leaf, dims = 0;
  outer d[max_outer];
  pair_program<T> program;
  std::vector<pair_leaf> leaves; ///< of the program
  std::vector<T> scratch;        ///< by worker
  std::int64_t scratch_size = 0;

  bool has_depth() const { return kind != op::attend_dscore_query && kind != op::attend_dscore_key; }
  bool far_earlier() const { return near_is_query == keys_earlier; }
  // Which operands make the products: scores of near and far; changes of the weights; what the weights or changes sum.
  slot near_score() const { return near_is_query ? query : key; }
  slot far_score() const { return near_is_query ? key : query; }
  slot near_change() const { return near_is_query ? da : value; }
  slot far_change() const { return near_is_query ? value : da; }
  bool changes() const { return kind != op::attend && kind != op::attend_dv; }
  slot summed() const { return changes() ? far_score() : far_change(); }
  bool summed_is_score() const { return changes(); }
};

/// Near rows that are too few for the lanes of a tile: their tiles run along the far side instead.
template <class T> inline constexpr std::int64_t few_near = tile_cols<T> / 2;

/// How a worker's scratch is divided. It does not depend on the length of the folded axis.
template <class T> struct fold_room {
  std::int64_t near_size, far_size, tile;   ///< rows of either side, padded; elements of a tile of pairs
  std::int64_t size = 0;
  T *near[2], *sums, *near_value[3], *near_leaves;   // turned, in panels; one number a row
  T *far[2], *far_value[3], *far_leaves, *tiles;     // row after row; the last number: whether the row has an infinity or a NaN

  fold_room(fold_data<T> const& f, T* base) {
    constexpr std::int64_t cols = tile_cols<T>;
    auto const leaves = static_cast<std::int64_t>(f.leaves.size());
    near_size = (f.near_block + cols - 1) / cols * cols;
    far_size = (4 * f.far_block + cols - 1) / cols * cols;
    tile = (std::max)(f.far_block * cols, few_near<T> * far_size);
    auto take = [&](std::int64_t n) {
      T* const p = base ? base + size : nullptr;
      size += (n + 15) / 16 * 16;   // 64 bytes: workers share no cache line
      return p;
    };
    for (auto& p : near) p = take(near_size * f.depth);
    sums = take(near_size * (f.has_depth() ? f.depth : 1));
    for (auto& p : near_value) p = take(near_size);
    near_leaves = take(near_size * leaves);
    for (auto& p : far) p = take(f.far_block * f.depth);
    for (auto& p : far_value) p = take(far_size);
    far_leaves = take(far_size * leaves);
    tiles = take(tile * (f.program.buffers + 2));
  }
};

/// Sizes of the blocks. The far block's two operands stay in the second-level cache while all near panels pass by; the near block is as
/// large as its own operands leave room for beside them. asked: 0, or a number of rows.
template <class T> void choose_blocks(fold_data<T>& f, std::int64_t asked_queries, std::int64_t asked_keys) {
  std::int64_t const row = (std::max<std::int64_t>)(f.depth, 16) * static_cast<std::int64_t>(sizeof(T));
  auto blocks = [row](std::int64_t bytes, std::int64_t least, std::int64_t most, std::int64_t asked) {
    return asked > 0 ? asked : std::clamp(bytes / row / least * least, least, most);
  };
  f.near_block = blocks(32 << 10, 32, 128, f.near_is_query ? asked_queries : asked_keys);
  f.far_block = blocks(24 << 10, 24, 96, f.near_is_query ? asked_keys : asked_queries);   // 24 rows: whole tiles on every processor
}

}  // namespace dyadic::cpu
