#!/bin/sh
# benchmarks/disassembly.sh: the register tiles of cpu/micro_kernel.hpp as compilers make them. Fails when an innermost loop of products
# stores anything (an accumulator that was spilled), calls a function or has another number of multiplications than the tile, and prints it.
# Compilers that are not here are left out, and named. Exit status 77: there is nothing to look at here.
set -eu
cd "$(dirname "$0")/.."
case $(uname -m) in x86_64 | amd64) ;; *) echo "skipped: reads x86-64 only"; exit 77 ;; esac
command -v objdump >/dev/null || { echo "skipped: no objdump here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/tiles.cpp" <<'END'
#include <utility>

#include "dyadic/cpu/micro_kernel.hpp"

using namespace dyadic::cpu;

// Every count of rows that a tile can have, of one panel and of as many as it takes at once, as functions that the linker sees.
template <class> struct tiles;
template <int... Index> struct tiles<std::integer_sequence<int, Index...>> {
  static constexpr decltype(&detail::multiply_tile<float, 1>) products[] = {
      &detail::multiply_tile<float, Index + 1>..., &detail::multiply_tile<float, Index + 1, detail::panels_of(Index + 1)>...};
};
template <class> struct dots;
template <int... Index> struct dots<std::integer_sequence<int, Index...>> {
  static constexpr decltype(&detail::dot_tile<float, 1>) products[] = {&detail::dot_tile<float, Index + 1>...};
};
extern decltype(&detail::multiply_tile<float, 1>) const* const all_tiles;
extern decltype(&detail::dot_tile<float, 1>) const* const all_dots;
decltype(&detail::multiply_tile<float, 1>) const* const all_tiles = tiles<std::make_integer_sequence<int, tile_rows>>::products;
decltype(&detail::dot_tile<float, 1>) const* const all_dots = dots<std::make_integer_sequence<int, dot_tile_rows>>::products;
END
# A tile whose accumulators do go to memory: the reader has to see it.
cat >"$work/control.cpp" <<'END'
#include "dyadic/cpu/vector.hpp"

namespace detail {
template <class T, int R> void multiply_tile(T const* a, T const* b, long depth, T* c) {
  using vector = dyadic::cpu::vector_of<T>;
  vector sum[2 * R]{};
  for (long k = 0; k < depth; ++k, a += R, b += 16) {
    for (int i = 0; i < 2 * R; ++i) sum[i] += a[i / 2] * dyadic::cpu::load<vector>(b + i % 2 * 8);
    __asm__ volatile("" : : "r"(sum) : "memory");
  }
  for (int i = 0; i < 2 * R; ++i) dyadic::cpu::store<vector>(c + 8 * i, sum[i]);
}
template void multiply_tile<float, 1>(float const*, float const*, long, float*);
template void multiply_tile<float, 2>(float const*, float const*, long, float*);
template void multiply_tile<float, 3>(float const*, float const*, long, float*);
template void multiply_tile<float, 4>(float const*, float const*, long, float*);
}  // namespace detail
END
status=0 looked=0
for compiler in ${COMPILERS:-g++ clang++}; do
  if ! command -v "$compiler" >/dev/null; then
    echo "left out: no $compiler here"
    continue
  fi
  "$compiler" -std=c++20 -O3 -march=x86-64-v3 -Iinclude -c "$work/control.cpp" -o "$work/control.o"
  objdump -dC --no-show-raw-insn "$work/control.o" | python3 benchmarks/innermost_loops.py >"$work/control.txt" || true
  if ! grep -q 'a store' "$work/control.txt"; then
    echo "$compiler: stores in a loop were not seen"
    status=1
  fi
  for level in -O2 -O3; do
    for processor in x86-64-v3 x86-64-v4; do
      echo "$compiler $level -march=$processor"
      "$compiler" -std=c++20 $level -march=$processor -Iinclude -c "$work/tiles.cpp" -o "$work/tiles.o"
      objdump -dC --no-show-raw-insn "$work/tiles.o" | python3 benchmarks/innermost_loops.py || status=1
      looked=$((looked + 1))
    done
  done
done
[ $looked -gt 0 ] || exit 77
exit $status
