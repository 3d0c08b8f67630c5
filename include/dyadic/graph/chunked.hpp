// Chunks of a sequence: split, scan the chunks, merge.
#pragma once
#include "dyadic/graph/carry.hpp"
#include "dyadic/expr/functions.hpp"

namespace dyadic {

/// chunked<seq, chunk, within>(x, step): step(x_c) sees one chunk, a value over `within` (a last, ragged chunk is padded with 0) and
/// returns one; `within` has the chunk's length, `chunk` as many as it takes.
template <class S, class Chunk, class Within, class List, class T, class H, class F>
constexpr auto chunked(expr<List, T, H> x, F&& step, int line = __builtin_LINE()) {
  static_assert(axis_is_in<S, List>, "chunked: the value has no such axis");
  return merge<Chunk, Within, S>(scan<Chunk>(split<S, Chunk, Within>(x, line), static_cast<F&&>(step)), line);
}

}  // namespace dyadic
